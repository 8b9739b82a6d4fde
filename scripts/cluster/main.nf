// A detection job in parts under Nextflow:
//
//   nextflow run main.nf --photos photos/ --out results/ --parts 8 --flags '--model mct'
//
// A task that is tried again starts in an empty folder. Parts lie in the folder of the results instead, where they go on.
params.photos = null
params.out = 'results'
params.parts = 8
params.fovea = 'fovea'
params.flags = ''

process LIST {
    input:
    val folder

    output:
    val "${folder}/list.fvl"

    script:
    "mkdir -p '${folder}/parts' && ${params.fovea} list '${file(params.photos)}' --overwrite --out '${folder}/list.fvl'"
}

process PART {
    errorStrategy 'retry'
    maxRetries 3

    input:
    tuple val(list), val(folder), val(index)

    output:
    val index

    script:
    """
    ${params.fovea} detect '${list}' --shard ${index + 1}/${params.parts} --resume --wait-lock 600 --threads ${task.cpus} \
      --quiet ${params.flags} --out '${folder}/parts/part-{shard}.jsonl'
    """
}

process MERGE {
    input:
    val done
    val folder

    script:
    "${params.fovea} merge '${folder}'/parts/part-*.jsonl --max-unreadable all --overwrite --out '${folder}/results.jsonl'"
}

workflow {
    folder = file(params.out).toAbsolutePath().toString()
    list = LIST(folder)
    done = PART(list.combine(Channel.of(folder)).combine(Channel.of(0..<(params.parts as int))))
    MERGE(done.collect(), folder)
}
