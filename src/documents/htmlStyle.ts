/** The style sheet of documents in HTML: a page of paper in a window, one column on a phone, and the same in print. */
export const htmlStyle = `
:root { color-scheme: light; --text: #16191d; --soft: #565d66; --line: #d5d9de; --strong-line: #16191d; }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: #eef0f2; color: var(--text); font: 0.9375rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", Vazirmatn, Tahoma, Arial, sans-serif; overflow-wrap: anywhere; }
main { max-width: 52rem; margin: 2rem auto; padding: 3.5rem; background: #fff; border: 1px solid var(--line); border-radius: 6px; }
h1 { margin: 0 0 0.75rem; font-size: 1.5rem; line-height: 1.25; font-weight: 600; }
h2 { margin: 0 0 0.25rem; color: var(--soft); font-size: 0.8125rem; font-weight: 500; }
p { margin: 0 0 0.5rem; }
header { display: flex; justify-content: space-between; gap: 2rem; }
header > * { flex: 1 1 0; min-width: 0; }
.logo { display: block; max-width: 12rem; max-height: 4.5rem; }
.brand { font-size: 1.125rem; font-weight: 600; }
dl { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: 0.125rem 1.25rem; margin: 0; }
dt { color: var(--soft); }
dd { margin: 0; font-variant-numeric: tabular-nums; }
.parties { display: flex; gap: 2rem; margin-top: 2.5rem; }
.parties section { flex: 1 1 0; min-width: 0; }
.parties p { margin: 0; }
.name { font-weight: 600; }
.summary { margin: 2.5rem 0 1.5rem; font-size: 1.25rem; line-height: 1.4; font-weight: 600; font-variant-numeric: tabular-nums; }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
th, td { padding: 0.5rem 0; padding-inline-start: 1rem; vertical-align: top; text-align: end; font-weight: 400; }
th:first-child, td:first-child { padding-inline-start: 0; text-align: start; }
thead th { border-bottom: 1px solid var(--strong-line); color: var(--soft); font-size: 0.8125rem; font-weight: 500; white-space: nowrap; }
/* Digits run from left to right in every language, so numbers end at the right. */
thead th + th, td { text-align: right; }
.lines td, .lines tbody th { white-space: nowrap; }
.lines tbody th { width: 50%; white-space: normal; }
.lines .line > * { border-top: 1px solid var(--line); }
.lines .line:first-child > * { border-top: 0; }
.lines .discount > * { padding-top: 0; color: var(--soft); font-size: 0.8125rem; }
small { display: block; color: var(--soft); font-size: 0.8125rem; }
.narrow { display: none; }
.totals { width: auto; min-width: 55%; margin-inline-start: auto; margin-top: 0.5rem; border-top: 1px solid var(--strong-line); }
.totals th, .totals td { padding-block: 0.25rem; }
.totals tr:first-child > * { padding-top: 0.75rem; }
.totals td { white-space: nowrap; }
.totals .strong > * { border-top: 1px solid var(--line); font-weight: 600; }
.totals .due > * { border-top: 1px solid var(--strong-line); padding-top: 0.5rem; font-size: 1.125rem; font-weight: 600; }
.payment { display: flex; justify-content: space-between; gap: 2rem; margin-top: 2.5rem; }
.payment h2 { color: var(--text); font-size: 0.9375rem; font-weight: 600; }
.payment dl { margin: 0.75rem 0; }
figure { flex: none; width: 8.5rem; margin: 0; text-align: center; }
/* The code itself measures 46 mm, as banks ask; the rest is its margin. */
figure.swiss { width: 57mm; }
figure svg { display: block; width: 100%; height: auto; }
figcaption { margin-top: 0.375rem; color: var(--soft); font-size: 0.75rem; line-height: 1.3; }
.home-tax, .reasons, .note { margin-top: 1.5rem; }
.text { white-space: pre-line; }
footer { margin-top: 2.5rem; padding-top: 1rem; border-top: 1px solid var(--line); color: var(--soft); font-size: 0.8125rem; white-space: pre-line; }
@media (max-width: 40rem) {
  body { background: #fff; }
  main { margin: 0; padding: 1.25rem; border: 0; }
  header, .parties, .payment { flex-direction: column; gap: 1.5rem; }
  header > *, .parties section { flex: none; }
  .summary, .parties { margin-top: 1.75rem; }
  .wide { display: none; }
  .narrow { display: block; }
  .lines tbody th { width: auto; }
  .totals { width: 100%; }
}
@media print {
  body { background: #fff; font-size: 9.5pt; }
  main { max-width: none; margin: 0; padding: 0; border: 0; }
  thead { display: table-header-group; }
  tr, .totals, .payment, .parties { break-inside: avoid; }
  .discount { break-before: avoid; }
  .totals { break-before: avoid; }
}
`;
