/* The ledger: search, filters and sorting. The rows of each paper come by a script of their own
   (ledger/<paper>.js), and only those that are shown are put into the page. The state stands in
   the address after "#", so that a filtered view can be linked. */
(function () {
  "use strict";

  const FILTERS = ["paper", "artefact", "verdict", "asks"];
  const AT_ONCE = 25;
  const papers = [];
  window.companionLedger = (paper) => papers.push(paper);

  /* An element with texts and other elements in it; nothing is read as HTML. */
  function make(tag, attributes, ...inside) {
    const element = document.createElement(tag);
    Object.entries(attributes).forEach(([name, value]) => element.setAttribute(name, value));
    element.append(...inside);
    return element;
  }

  const GREEK = { alpha: "α", gamma: "γ", delta: "δ", epsilon: "ε", theta: "θ", kappa: "κ",
    lambda: "λ", mu: "μ", xi: "ξ", pi: "π", rho: "ρ", sigma: "σ", tau: "τ" };
  const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹";
  const WORDS = new RegExp("\\b(" + Object.keys(GREEK).join("|") + ")(?![a-z])", "g");

  /* A text with its formulas as they are written by hand. */
  function symbols(text) {
    const raised = (_, sign, digits) => (sign ? "⁻" : "") + digits.replace(/./g, (d) => RAISED[d]);
    return text.replace(WORDS, (word) => GREEK[word]).replace(/\^(-?)(\d+)/g, raised)
      .replaceAll("<=", "≤").replaceAll(">=", "≥");
  }

  /* The number that a text begins with, "" for none. */
  function number(text) {
    const plain = text.replace(/,/g, "").replace(/ ?[x×*]? ?10\^/, "e").replace(/^e/, "1e");
    const value = parseFloat(plain.replace(/^([-+]?)inf/, "$1Infinity"));
    return Number.isNaN(value) ? "" : value;
  }

  /* All rows: what differs without an explanation first, then by artefact. */
  function read(parts, order) {
    const rows = [];
    papers.forEach(({ paper, artefacts }) => artefacts.forEach((artefact) => {
      artefact.rows.forEach((line) => {
        const [anchor, row, column, printed, where, reproduced, distance, support, wouldSee, n,
          asks, part, outcome, asRead, status, reason, remarks, place] = line;
        const why = reason < 0 ? ["", 0] : artefact.reasons[reason];
        rows.push({
          artefact, anchor, row, column, printed, where, reproduced, distance, support, wouldSee,
          n, asks, part, outcome, asRead, status, why, remarks,
          id: artefact.slug + "-" + place,
          values: [paper, artefact.id, parts[part][0], asks],
          keys: { artefact: rows.length, printed: number(printed), reproduced: number(reproduced),
            distance: number(distance), support: number(support), "would see": number(wouldSee),
            n: number(n), verdict: part, row, column, asks },
          text: [artefact.id, row, column, printed, where, reproduced, asks, parts[part][0],
            outcome, asRead, status, why[0], remarks].join(" ").toLowerCase(),
        });
      });
    }));
    const rank = (row) => order.indexOf(parts[row.part][0]);
    rows.sort((a, b) => rank(a) - rank(b));
    rows.forEach((row, index) => { row.index = index; });
    return rows;
  }

  function start() {
    const table = document.getElementById("ledger");
    if (!table) return;
    const body = table.tBodies[0];
    const form = document.querySelector(".ledger-controls");
    const query = document.getElementById("ledger-q");
    const selects = FILTERS.map((name) => document.getElementById("ledger-" + name));
    const count = document.getElementById("ledger-count");
    const empty = document.getElementById("ledger-empty");
    const together = document.getElementById("ledger-together");
    const more = document.getElementById("ledger-more");
    const all = document.getElementById("ledger-all");
    const heads = Array.from(table.tHead.rows[0].cells);
    const parts = JSON.parse(table.dataset.parts);
    const rows = read(parts, JSON.parse(table.dataset.order));
    let sorted = null; // {column, descending}
    let limit = AT_ONCE;
    let target = "";
    let timer = 0;

    heads.forEach((head) => {
      const mark = make("span", { class: "sort-mark", "aria-hidden": "true" });
      const button = make("button", { type: "button" }, head.textContent, mark);
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const column = head.dataset.column;
        if (!sorted || sorted.column !== column) sorted = { column, descending: false };
        else if (!sorted.descending) sorted = { column, descending: true };
        else sorted = null;
        changed();
      });
    });
    form.hidden = table.hidden = count.hidden = false;

    function element(row) {
      const [part, name, sign] = parts[row.part];
      const small = (text) => (text ? [" ", make("small", {}, text)] : []);
      const page = "notebooks/" + row.artefact.id + ".html" + (row.anchor ? "#" + row.anchor : "");
      const link = row.artefact.page ? make("a", { href: page }, row.artefact.id) : row.artefact.id;
      const reason = "deviations.html#reason-" + row.artefact.slug + "-" + row.why[1];
      const mark = make("span", { class: "sign sign-" + name, "aria-hidden": "true" }, sign);
      const verdict = [make("span", { class: "verdict" }, mark, " " + row.outcome)];
      if (row.asRead) verdict.push(...small("after correcting misprints: " + row.asRead));
      if (row.why[0]) {
        verdict.push(...small(row.status + ":"), " ",
          make("a", { class: "reason", href: reason }, symbols(row.why[0])));
      }
      verdict.push(...small(symbols(row.remarks)));
      const printed = [symbols(row.printed), ...small(row.where)];
      const cells = [[link], [symbols(row.row)], [symbols(row.column)], printed,
        [row.reproduced], [row.distance], [row.support], [row.wouldSee], [row.n], [row.asks],
        verdict];
      return make("tr", { role: "row", id: row.id, "data-paper": row.values[0],
        "data-artefact": row.values[1], "data-verdict": part, "data-asks": row.asks,
        class: row.id === target ? "target" : "" },
      ...cells.map((inside, i) => {
        const column = heads[i].dataset.column;
        return make("td", { role: "cell", "data-label": column, "data-sort": row.keys[column] },
          ...inside);
      }));
    }

    function ordered(found) {
      heads.forEach((head) => {
        const mine = sorted && head.dataset.column === sorted.column;
        const state = mine ? (sorted.descending ? "descending" : "ascending") : "none";
        head.setAttribute("aria-sort", state);
      });
      if (!sorted) return found;
      const { how } = heads.find((head) => head.dataset.column === sorted.column).dataset;
      const collator = new Intl.Collator("en", { numeric: true });
      const sign = sorted.descending ? -1 : 1;
      const key = (row) => row.keys[sorted.column];
      return found.slice().sort((a, b) => {
        // what has no number comes last in both directions
        const [one, other] = [key(a), key(b)];
        if (how !== "text" && (one === "" || other === "")) {
          return (one === "") - (other === "") || a.index - b.index;
        }
        const difference = how === "text" ? collator.compare(one, other) : one - other;
        return sign * difference || a.index - b.index;
      });
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

    function show() {
      const needles = query.value.toLowerCase().split(/\s+/).filter(Boolean);
      const passes = rows.map((row) => {
        const each = selects.map((s, place) => !s.value || row.values[place] === s.value);
        each.push(needles.every((needle) => row.text.includes(needle)));
        return each;
      });
      recount(passes);
      const found = ordered(rows.filter((_, i) => passes[i].every(Boolean)));
      const shown = Math.max(limit, found.findIndex((row) => row.id === target) + 1);
      body.replaceChildren(...found.slice(0, shown).map(element));
      const total = rows.length;
      count.textContent = found.length === total ? total + " values"
        : found.length + " of " + total + " values";
      const id = selects[FILTERS.indexOf("artefact")].value;
      const one = rows.find((row) => row.artefact.id === id);
      const texts = one ? one.artefact.together : [];
      together.replaceChildren(...texts.map((text) => make("li", {}, text)));
      together.hidden = texts.length === 0;
      const left = found.length - shown;
      more.parentElement.hidden = left <= 0;
      more.textContent = "Show " + Math.min(left, AT_ONCE) + " more";
      all.textContent = "Show all " + found.length;
      empty.hidden = found.length > 0;
      table.hidden = found.length === 0;
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

    function set(state) {
      selects.forEach((select, place) => {
        const value = state.get(FILTERS[place]) || "";
        const known = Array.from(select.options).some((option) => option.value === value);
        select.value = known ? value : "";
      });
      query.value = state.get("q") || "";
      const column = state.get("sort");
      const known = heads.some((head) => head.dataset.column === column);
      sorted = known ? { column, descending: state.get("order") === "descending" } : null;
      if (limit !== Infinity) limit = AT_ONCE;
    }

    /* A link to one row leads to it, among the rows of its artefact. */
    function recall() {
      const hash = location.hash.slice(1);
      const row = rows.find(({ id }) => id === hash);
      target = row ? row.id : "";
      set(new URLSearchParams(row ? { artefact: row.artefact.id } : hash.includes("=") ? hash : ""));
      show();
      if (row) document.getElementById(row.id).scrollIntoView({ block: "center" });
    }

    function changed() {
      target = "";
      if (limit !== Infinity) limit = AT_ONCE;
      show();
      remember();
    }

    /* The rows that were not there before are read on from the first of them. */
    function grow(to) {
      const first = body.rows.length;
      limit = to;
      show();
      const row = body.rows[first];
      if (row) {
        row.tabIndex = -1;
        row.focus({ preventScroll: true });
      }
    }

    selects.forEach((select) => select.addEventListener("change", changed));
    query.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(changed, 120);
    });
    form.addEventListener("submit", (event) => event.preventDefault());
    more.addEventListener("click", () => grow(body.rows.length + AT_ONCE));
    all.addEventListener("click", () => grow(Infinity));
    document.getElementById("ledger-clear").addEventListener("click", () => {
      limit = AT_ONCE;
      set(new URLSearchParams());
      changed();
      query.focus();
    });
    window.addEventListener("hashchange", recall);
    recall();
  }

  document.addEventListener("DOMContentLoaded", start);
})();
