/* The ledger: search, filters and sorting over a table that is whole without this script.
   The state stands in the address after "#", so that a filtered view can be linked. */
(function () {
  "use strict";

  const FILTERS = ["paper", "artefact", "verdict", "asks"];

  function start() {
    const table = document.getElementById("ledger");
    if (!table) return;
    const body = table.tBodies[0];
    const form = document.querySelector(".ledger-controls");
    const query = document.getElementById("ledger-q");
    const selects = FILTERS.map((name) => document.getElementById("ledger-" + name));
    const count = document.getElementById("ledger-count");
    const empty = document.getElementById("ledger-empty");
    const rows = Array.from(body.rows, (element, index) => ({
      element, index,
      text: element.textContent.toLowerCase().replace(/\s+/g, " "),
      values: FILTERS.map((name) => element.dataset[name]),
    }));
    const heads = Array.from(table.tHead.rows[0].cells);
    const total = rows.length;
    let sorted = null; // {column, descending}
    let timer = 0;

    heads.forEach((head) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(head.textContent);
      const mark = document.createElement("span");
      mark.className = "sort-mark";
      mark.setAttribute("aria-hidden", "true");
      button.append(mark);
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const column = head.dataset.column;
        if (!sorted || sorted.column !== column) sorted = { column, descending: false };
        else if (!sorted.descending) sorted = { column, descending: true };
        else sorted = null;
        sort();
        remember();
      });
    });
    form.hidden = false;

    function words() {
      return query.value.toLowerCase().split(/\s+/).filter(Boolean);
    }

    function keyOf(row, place, how) {
      const cell = row.element.cells[place];
      if (how === "text") return cell.textContent.trim();
      const order = cell.dataset.sort;
      return order === "" || order === undefined ? null : Number(order);
    }

    function sort() {
      heads.forEach((head) => {
        const mine = sorted && head.dataset.column === sorted.column;
        const state = mine ? (sorted.descending ? "descending" : "ascending") : "none";
        head.setAttribute("aria-sort", state);
      });
      let order = rows.slice();
      if (sorted) {
        const place = heads.findIndex((head) => head.dataset.column === sorted.column);
        const how = heads[place].dataset.how;
        const collator = new Intl.Collator("en", { numeric: true });
        const sign = sorted.descending ? -1 : 1;
        const keyed = rows.map((row) => ({ row, key: keyOf(row, place, how) }));
        keyed.sort((a, b) => {
          // what has no number comes last in both directions
          if (a.key === null || b.key === null) {
            return (a.key === null) - (b.key === null) || a.row.index - b.row.index;
          }
          const difference = how === "text" ? collator.compare(a.key, b.key) : a.key - b.key;
          return sign * difference || a.row.index - b.row.index;
        });
        order = keyed.map((item) => item.row);
      }
      body.append(...order.map((row) => row.element));
    }

    /* Numbers in the lists: how many rows each choice would show, the other filters kept. */
    function recount(passes) {
      selects.forEach((select, place) => {
        const numbers = new Map();
        rows.forEach((row, i) => {
          const others = passes[i].every((passed, j) => passed || j === place);
          if (!others) return;
          numbers.set(row.values[place], (numbers.get(row.values[place]) || 0) + 1);
        });
        Array.from(select.options).forEach((option) => {
          if (!option.value) return;
          const number = numbers.get(option.value) || 0;
          option.textContent = option.dataset.text + " (" + number + ")";
          option.disabled = number === 0 && !option.selected;
        });
      });
    }

    function filter() {
      const needles = words();
      let shown = 0;
      const passes = rows.map((row) => {
        const each = selects.map((s, place) => !s.value || row.values[place] === s.value);
        each.push(needles.every((needle) => row.text.includes(needle)));
        const visible = each.every(Boolean);
        row.element.hidden = !visible;
        shown += visible;
        return each;
      });
      recount(passes);
      count.textContent = shown === total ? total + " values" : shown + " of " + total + " values";
      empty.hidden = shown > 0;
      table.hidden = shown === 0;
    }

    function remember() {
      const state = new URLSearchParams();
      selects.forEach((select, place) => {
        if (select.value) state.set(FILTERS[place], select.value);
      });
      if (query.value.trim()) state.set("q", query.value.trim());
      if (sorted) {
        state.set("sort", sorted.column);
        if (sorted.descending) state.set("order", "descending");
      }
      const text = state.toString();
      history.replaceState(null, "", text ? "#" + text : location.pathname + location.search);
    }

    function recall() {
      const hash = location.hash.slice(1);
      if (hash && !hash.includes("=")) return showRow(hash);
      const state = new URLSearchParams(hash);
      selects.forEach((select, place) => {
        const value = state.get(FILTERS[place]) || "";
        const known = Array.from(select.options).some((option) => option.value === value);
        select.value = known ? value : "";
      });
      query.value = state.get("q") || "";
      const column = state.get("sort");
      const known = heads.some((head) => head.dataset.column === column);
      sorted = known ? { column, descending: state.get("order") === "descending" } : null;
      sort();
      filter();
    }

    /* A link to one row must lead to it, whatever is filtered. */
    function showRow(name) {
      selects.forEach((select) => { select.value = ""; });
      query.value = "";
      filter();
      const row = document.getElementById(name);
      if (row) row.scrollIntoView({ block: "center" });
    }

    function changed() {
      filter();
      remember();
    }

    selects.forEach((select) => select.addEventListener("change", changed));
    query.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(changed, 120);
    });
    form.addEventListener("submit", (event) => event.preventDefault());
    document.getElementById("ledger-clear").addEventListener("click", () => {
      selects.forEach((select) => { select.value = ""; });
      query.value = "";
      sorted = null;
      sort();
      changed();
      query.focus();
    });
    window.addEventListener("hashchange", recall);
    recall();
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
