% Average precision of the easy, medium and hard faces of WIDER FACE by the rules of the official program (eval_tools, MATLAB),
% written down anew: detections sorted by score in each file, extremes of the scores searched from realmax and realmin,
% faces as int32 as wider_face_val.mat has them, so that corners and overlaps are rounded.
% Usage: octave-cli wider_official.m GROUND_TRUTH_FOLDER PREDICTIONS_FOLDER; prints a line per level.
1;

function overlaps = overlaps_with(faces, box)
  % Faces are rows x1 y1 x2 y2 of int32, the box a row of double: int32 and double give int32.
  width = min(faces(:, 3), box(3)) - max(faces(:, 1), box(1)) + 1;
  height = min(faces(:, 4), box(4)) - max(faces(:, 2), box(2)) + 1;
  shared = width .* height;
  face_areas = (faces(:, 3) - faces(:, 1) + 1) .* (faces(:, 4) - faces(:, 2) + 1);
  box_area = (box(3) - box(1) + 1) * (box(4) - box(2) + 1);
  overlaps = shared ./ (face_areas + box_area - shared);
  overlaps(width <= 0 | height <= 0) = 0;
end

function rows = read_detections(path)
  rows = zeros(0, 5);
  file = fopen(path, "r");
  if file < 0
    return;
  end
  fgetl(file);
  fgetl(file);
  numbers = fscanf(file, "%f");
  fclose(file);
  rows = reshape(numbers, 5, [])';
end

function ap = average_precision(recall, precision)
  recall = [0; recall; 1];
  precision = [0; precision; 0];
  for i = numel(precision) - 1 : -1 : 1
    precision(i) = max(precision(i), precision(i + 1));
  end
  steps = find(recall(2:end) != recall(1:end - 1)) + 1;
  ap = sum((recall(steps) - recall(steps - 1)) .* precision(steps));
end

arguments = argv();
truth_folder = arguments{1};
results_folder = arguments{2};
truth = load(fullfile(truth_folder, "wider_face_val.mat"));
thresholds = 1000;

detections = cell(numel(truth.event_list), 1);
lowest = realmax;
highest = realmin;
for event = 1 : numel(truth.event_list)
  names = truth.file_list{event};
  detections{event} = cell(numel(names), 1);
  for image = 1 : numel(names)
    rows = read_detections(fullfile(results_folder, truth.event_list{event}, [names{image} ".txt"]));
    if !isempty(rows)
      [~, order] = sort(rows(:, 5), "descend");
      rows = rows(order, :);
      lowest = min(lowest, min(rows(:, 5)));
      highest = max(highest, max(rows(:, 5)));
    end
    detections{event}{image} = rows;
  end
end

for level = {"easy", "medium", "hard"}
  lists = load(fullfile(truth_folder, ["wider_" level{1} "_val.mat"]));
  total = 0;
  counts = zeros(thresholds, 2);  % detections that count, faces found
  for event = 1 : numel(truth.event_list)
    for image = 1 : numel(truth.file_list{event})
      faces = truth.face_bbx_list{event}{image};
      counted = lists.gt_list{event}{image};
      total += numel(counted);
      rows = detections{event}{image};
      if isempty(faces) || isempty(rows)
        continue;
      end
      scores = (rows(:, 5) - lowest) / (highest - lowest);
      faces(:, 3) = faces(:, 1) + faces(:, 3);
      faces(:, 4) = faces(:, 2) + faces(:, 4);
      counts_face = zeros(size(faces, 1), 1);
      counts_face(counted) = 1;
      state = zeros(size(faces, 1), 1);
      proposes = ones(size(rows, 1), 1);
      found = zeros(size(rows, 1), 1);
      for k = 1 : size(rows, 1)
        box = [rows(k, 1), rows(k, 2), rows(k, 1) + rows(k, 3), rows(k, 2) + rows(k, 4)];
        [largest, index] = max(overlaps_with(faces, box));
        if largest >= 0.5
          if counts_face(index) == 0
            state(index) = -1;
            proposes(k) = -1;
          elseif state(index) == 0
            state(index) = 1;
          end
        end
        found(k) = sum(state == 1);
      end
      running = cumsum(proposes == 1);
      for t = 1 : thresholds
        last = find(scores >= 1 - t / thresholds, 1, "last");
        if !isempty(last)
          counts(t, :) += [running(last), found(last)];
        end
      end
    end
  end
  ap = average_precision(counts(:, 2) / total, counts(:, 2) ./ counts(:, 1));
  printf("%s_ap %.17g\n", level{1}, ap);
end
