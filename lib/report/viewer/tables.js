/** Tables: sorting, a filter for long ones, a choice of columns for wide ones. */
(function (fovea) {
  "use strict";

  const {element, name} = fovea;
  const rows_with_filter = 15;
  fovea.compare_texts = new Intl.Collator("en", {numeric: true}).compare;

  function cell_content(cell) {
    const text = name(cell.text ?? "");
    const lines = [cell.interval, ...(cell.notes || [])].filter(line => line !== undefined && line !== null);
    return [
      cell.style ? element("span", {class: "series"}, fovea.swatch(cell.style), text) : text,
      Number.isFinite(cell.bar) && element("span", {class: "bar"},
        element("i", {style: `width:${100 * Math.max(0, Math.min(1, cell.bar))}%`})),
      lines.map(line => element("span", {class: "small"}, name(line))),
    ];
  }

  function table_cell(cell, column, index) {
    const long = !column.numeric && String(cell.text ?? "").length > 32;
    const kinds = [column.numeric && "num", cell.best && "best", cell.small && "fine", long && "long"];
    const attributes = {class: kinds.filter(Boolean).join(" ") || null};
    return index === 0 ? element("th", {scope: "row", ...attributes}, cell_content(cell))
                       : element("td", attributes, cell_content(cell));
  }

  /** Missing values stand last, whichever way the table is sorted. */
  function compared(column, falling, by_value) {
    const key = record => (by_value ? record.cells[column]?.value : record.cells[column]?.text) ?? null;
    return (a, b) => {
      const first = key(a), second = key(b);
      if (first === null || second === null) return (first === null) - (second === null);
      const rising = typeof first === "number" && typeof second === "number"
        ? first - second : fovea.compare_texts(first, second);
      return falling ? -rising : rising;
    };
  }

  /** The largest rates of a row, as far as their digits tell; none where all read alike. */
  function mark_best(cells, led) {
    const rates = led.map(i => cells[i]).filter(({value}) => Number.isFinite(value));
    const [worst, best] = d3.extent(rates, ({value}) => value)
      .map(value => rates.find(cell => cell.value === value)?.text);
    for (const i of led) cells[i] = {...cells[i], best: best !== worst && cells[i].text === best};
  }

  function column_choice(columns, cells_of) {
    const boxes = columns.map((column, i) => i > 0 && element("label", {},
      element("input", {type: "checkbox", checked: true, change: event => {
        for (const cell of cells_of(i)) cell.classList.toggle("unchosen", !event.target.checked);
      }}), name(column.title)));
    return element("details", {class: "choice", hidden: true}, element("summary", {}, "Columns"),
      element("div", {}, boxes));
  }

  function row_filter(records, title) {
    const count = element("span", {role: "status"});
    const field = element("input", {
      type: "search", placeholder: "Filter rows", "aria-label": `Filter the rows of ${title || "this table"}`,
      input: () => {
        const wanted = field.value.toLocaleLowerCase().split(/\s+/);
        let shown = 0;
        for (const record of records) {
          record.row.hidden = !wanted.every(word => record.text.includes(word));
          shown += !record.row.hidden;
        }
        const all = fovea.number(records.length);
        count.textContent = field.value ? `${fovea.number(shown)} of ${all} rows` : "";
      },
    });
    return [field, count];
  }

  fovea.table = block => {
    const columns = block.columns || [];
    const records = (block.rows || []).map(cells => ({
      given: cells, cells: [...cells],
      row: element("tr", {}, columns.map((column, i) => table_cell(cells[i] || {}, column, i))),
      text: cells.map(cell => [cell.text, ...(cell.notes || [])].join(" ")).join(" ").toLocaleLowerCase(),
    }));
    const body = element("tbody", {}, records.map(record => record.row));
    const heads = columns.map((column, i) => {
      const control = block.sortable || column.definition;
      const title = control
        ? element("button", {type: "button", class: column.definition ? "defined" : null}, name(column.title))
        : name(column.title);
      if (column.definition) fovea.explain(title, column.definition);
      const head = element("th", {scope: "col", class: column.numeric ? "num" : null}, title);
      if (block.sortable) title.addEventListener("click", () => sort(i, head));
      return head;
    });

    /** Numbers start with the largest, names with A; a second click turns the order round. */
    function sort(column, head) {
      const before = head.getAttribute("aria-sort");
      const falling = before ? before === "ascending" : Boolean(columns[column].numeric);
      heads.forEach(other => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", falling ? "descending" : "ascending");
      order();
    }
    function order() {
      const column = heads.findIndex(head => head.hasAttribute("aria-sort"));
      if (column < 0) return;
      const by_value = records.some(({cells}) => Number.isFinite(cells[column]?.value));
      const falling = heads[column].getAttribute("aria-sort") === "descending";
      records.sort(compared(column, falling, by_value));
      body.append(...records.map(record => record.row));
    }

    /** Cells that follow thresholds stand for the present ones; where rivals compete, the best stands out. */
    function follow(moved) {
      for (const {given, cells, row} of records) {
        const led = given.flatMap((cell, i) => (cell.follows ? [i] : []));
        if (!led.some(i => moved.has(given[i].follows[0]))) continue;
        for (const i of led) cells[i] = fovea.followed(given[i]);
        if (block.contest && led.some(i => cells[i] !== given[i])) mark_best(cells, led);
        for (const i of led) {
          const old = row.cells[i], fresh = table_cell(cells[i], columns[i], i);
          fresh.classList.toggle("unchosen", old.classList.contains("unchosen"));
          old.replaceWith(fresh);
        }
      }
      const intervals = has_intervals ? "; intervals there are Wilson's" : "";
      const moved_points = fovea.moved_points(rivals);
      note.textContent = moved_points && `Moved: ${moved_points}${intervals}.`;
      note.hidden = !note.textContent;
      order();
    }
    const rivals = new Set(records.flatMap(({given}) =>
      given.flatMap(cell => (cell.follows ? [cell.follows[0]] : []))));
    const has_intervals = records.some(({given}) => given.some(cell => cell.follows && cell.interval));
    const note = element("p", {class: "note below", hidden: true});
    if (rivals.size > 0) fovea.threshold.listen(follow);

    const table = element("table", {
      class: columns.length > 8 ? "many" : null, style: `--columns:${Math.max(columns.length, 1)}`,
    }, block.title && element("caption", {}, element("span", {}, name(block.title))),
    element("thead", {}, element("tr", {}, heads)), body);
    const scroll = element("div", {
      class: "scroll", tabindex: "0", role: "region", "aria-label": block.title || "Table",
    }, table);
    const choice = column_choice(columns, i => [heads[i], ...records.map(record => record.row.cells[i])]);
    const filter = records.length > rows_with_filter ? row_filter(records, block.title) : [];
    // The choice appears once the table has been wider than its room, and stays when chosen columns fit.
    new ResizeObserver(() => {
      const wider = scroll.scrollWidth > scroll.clientWidth + 1;
      scroll.tabIndex = wider ? 0 : -1;
      if (wider && columns.length > 3) choice.hidden = false;
    }).observe(scroll);
    return element("div", {class: "table", id: block.id},
      element("div", {class: "controls"}, filter, choice), scroll,
      block.note && element("p", {class: "note below"}, name(block.note)), note);
  };
})(window.fovea = window.fovea || {});
