companionLedger({"paper": {{ group.paper.key | tojson }}, "artefacts": [
{% for entry in group.entries if entry.lines %}
{% set id = entry.artefact.id %}
{% set reasons = entry.reasons.keys() | list %}
{"id": {{ id | tojson }}, "slug": "{{ slug(id) }}", "page": {{ (entry.notebook is not none) | tojson }}, "together": {{ entry.together | tojson }}, "reasons": [
{%- for reason, lines in entry.reasons.items() %}[{{ reason.reason | tojson }}, {{ lines[0].number }}]{{ "," if not loop.last }}{% endfor %}], "rows": [
{% for line in entry.lines %}
{% set decides = line.verdict.partition(" (")[2].rstrip(")") if line.outcome == "undecided" else "" %}
{% set remarks = ["not converged" if not line.converged and line.outcome != "not run" else "", line.problem, decides, line.note if line.note != decides else "", line.beside] | select | join("; ") %}
{% set texts = line.texts %}
{{ [line.anchor | default(none), line.row, line.column, texts["published"], line.where, texts["reproduced"], texts["distance"],
  texts["support"], texts["would see"], texts["n"], line.asks, (signs.keys() | list).index(line.part), line.outcome,
  texts["after correcting misprints"] | default(""), line.status, reasons.index(line.deviation) if line.deviation and line.status else -1,
  remarks, line.number] | tojson }}{{ "," if not loop.last }}
{% endfor %}
]}{{ "," if not loop.last }}
{% endfor %}
]});
