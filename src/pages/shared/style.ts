/** The stylesheet of the customers' pages. */
import { createAccent } from './colors.ts';
import { dark, darkAccent, declareColors, light, lightAccent } from './tokens.ts';

/** The part of the stylesheet for the pages of the portal. */
const portalStyle = `
.menu { margin: 0 0 1.5rem; border-bottom: 1px solid var(--line); }
.menu ul { display: flex; gap: 0 min(1rem, 2vw); margin: 0; padding: 0; overflow-x: auto; scrollbar-width: none; list-style: none; }
.menu ul:has(li:nth-child(4)) { justify-content: space-between; }
.menu a { display: block; padding: 0.625rem 0; border-bottom: 2px solid transparent; color: var(--soft); font-size: 0.875rem; text-decoration: none; white-space: nowrap; }
.menu a:focus-visible { outline-offset: -3px; }
.menu a:hover { color: var(--text); }
.menu [aria-current] { border-color: var(--accent-text); color: var(--text); font-weight: 600; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.notice.good { border-color: var(--good-text); background: var(--good-back); color: var(--good-text); }
.soft { color: var(--soft); }
.card { padding: 1rem 0; border-top: 1px solid var(--line); }
.card:first-of-type { padding-block-start: 0; border-top: 0; }
.card .schedule { margin-bottom: 0.5rem; }
.card > p:last-child { margin-block-end: 0; }
.head { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: baseline; gap: 0.25rem 1rem; }
.schedule { font-weight: 500; }
.head h2 { margin: 0; font-size: 1.1875rem; line-height: 1.4; }
h3, .part { margin: 1rem 0 0.25rem; font-size: 1rem; }
.head > :last-child:not(:first-child) { margin-inline-start: auto; }
.amount { font-variant-numeric: tabular-nums; font-weight: 600; }
.status { display: inline-flex; align-items: center; gap: 0.375rem; color: var(--soft); font-size: 0.875rem; white-space: nowrap; }
.status::before { content: ""; inline-size: 0.5rem; block-size: 0.5rem; border-radius: 50%; background: currentColor; }
.status.active, .status.paid { color: var(--good-text); }
.status.past_due, .status.uncollectible, .status.expired { color: var(--bad-text); }
.status.trialing, .status.incomplete, .status.open { color: var(--wait-text); }
.actions { margin-block-start: 1.5rem; }
.actions p, .actions form { margin: 0 0 0.75rem; }
form button.bad { border-color: var(--bad-text); background: none; color: var(--bad-text); }
.choice { display: flex; align-items: flex-start; gap: 0.75rem; padding: 0.375rem 0; cursor: pointer; }
textarea { inline-size: 100%; padding: 0.5rem 0.75rem; border: 1px solid var(--edge); border-radius: 0.5rem; background: var(--card); color: var(--text); font: inherit; }
.discount { padding: 1.25rem; border-radius: 0.5rem; background: var(--good-back); color: var(--good-text); text-align: center; }
.discount strong { display: block; font-size: 1.5rem; }
.documents { margin: 0; padding: 0; list-style: none; }
.documents li { padding: 0.75rem 0; border-bottom: 1px solid var(--line); }
.documents li p { margin: 0.125rem 0 0; font-size: 0.9375rem; }
.documents .note { padding-inline-start: 1rem; }
.documents form { display: inline-block; margin-block-start: 0.375rem; }
.documents form button { inline-size: auto; min-height: 2.25rem; padding: 0.25rem 0.75rem; margin: 0; font-size: 0.875rem; }
.unpaid { margin-block-end: 1.5rem; padding: 1rem 1rem 0.25rem; border: 1px solid var(--line); border-radius: 0.5rem; }
.unpaid > h2 { margin: 0 0 0.75rem; font-size: 1.1875rem; line-height: 1.4; }
.unpaid h3 { margin: 0; }
.unpaid .card p, .unpaid form { margin: 0 0 0.625rem; }
.unpaid .late { color: var(--bad-text); font-size: 0.9375rem; }
.unpaid .card:last-child { padding-block-end: 0; }
.unpaid details { margin-block: 0 0.75rem; padding: 0; }
.unpaid summary { cursor: pointer; }
.pages { display: flex; justify-content: space-between; margin: 1rem 0 0; }
.foot { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: baseline; gap: 0.5rem 1rem; margin-block-start: 2rem; padding-block-start: 1rem; border-top: 1px solid var(--line); font-size: 0.9375rem; }
.foot button { inline-size: auto; padding: 0.25rem 0; font-size: inherit; }
`;

/** Returns the stylesheet with the accent of a tenant's colour (`#rrggbb`), or with the standard one. */
export function buildStyle(color?: string): string {
  const [day, night] = color
    ? [createAccent(color, light), createAccent(color, dark)]
    : [lightAccent, darkAccent];
  return `:root { color-scheme: light dark; ${declareColors(light)} ${declareColors(day)} }
@media (prefers-color-scheme: dark) { :root { ${declareColors(dark)} ${declareColors(night)} } }
${frame}${content}${forms}${portalStyle}${conditions}`;
}

const frame = `
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  display: flex;
  flex-direction: column;
  min-height: 100vh;
  margin: 0;
  background: var(--page);
  color: var(--text);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, "Noto Sans Arabic", Vazirmatn, sans-serif;
  overflow-wrap: anywhere;
}
main {
  width: 100%;
  max-width: 27.5rem;
  margin: 0 auto;
  padding: 1.5rem 1.25rem;
  background: var(--card);
}
.test {
  margin: 0;
  padding: 0.375rem 1rem;
  background: var(--wait-back);
  color: var(--wait-text);
  font-size: 0.8125rem;
  text-align: center;
}
.seller { display: flex; align-items: center; gap: 0.75rem; margin: 0 0 1.5rem; font-weight: 600; }
.seller img { display: block; width: auto; max-width: 10rem; height: 2.5rem; object-fit: contain; }
footer { width: 100%; max-width: 27.5rem; margin: 0 auto; padding: 1rem 1.25rem 2rem; color: var(--soft); font-size: 0.8125rem; }
footer ul { display: flex; flex-wrap: wrap; justify-content: center; gap: 0.25rem 0.875rem; margin: 0 0 0.5rem; padding: 0; list-style: none; }
footer a, footer span { display: inline-block; padding-block: 0.25rem; color: inherit; }
footer a { text-decoration: none; }
footer a:hover { color: var(--text); text-decoration: underline; }
footer [aria-current] { color: var(--text); font-weight: 600; }
@media (min-width: 40rem) {
  main { margin-block: 3rem 0; padding: 2rem; border: 1px solid var(--line); border-radius: 0.75rem; box-shadow: 0 1px 3px rgb(0 0 0 / 6%), 0 8px 24px rgb(0 0 0 / 5%); }
  footer { padding-block-start: 1.5rem; }
}
`;

const content = `
h1 { margin: 0 0 0.75rem; font-size: 1.5rem; font-weight: 600; line-height: 1.3; letter-spacing: -0.01em; }
h2 { margin: 1.5rem 0 0.5rem; font-size: 1rem; font-weight: 600; line-height: 1.4; }
p { margin: 0 0 1rem; }
a { color: var(--accent-text); }
small, .small { color: var(--soft); font-size: 0.8125rem; line-height: 1.4; }
.good h1::before, .waiting h1::before, .bad h1::before {
  display: grid;
  place-items: center;
  width: 3rem;
  height: 3rem;
  margin-bottom: 1rem;
  border-radius: 50%;
  font-size: 1.5rem;
  letter-spacing: 0;
}
.good h1::before { content: "✓"; content: "✓" / ""; background: var(--good-back); color: var(--good-text); }
.waiting h1::before { content: "…"; content: "…" / ""; background: var(--wait-back); color: var(--wait-text); }
.bad h1::before { content: "×"; content: "×" / ""; background: var(--bad-back); color: var(--bad-text); }
.offer { margin-bottom: 1.5rem; }
.offer h1 { margin-bottom: 0.25rem; font-size: 1.125rem; letter-spacing: 0; }
.offer p { margin-bottom: 0.25rem; color: var(--soft); }
.offer .price { color: var(--soft); }
.price small { white-space: nowrap; }
.price strong { color: var(--text); font-size: 2.25rem; font-weight: 600; font-variant-numeric: tabular-nums; letter-spacing: -0.02em; line-height: 1.2; }
.notice {
  padding: 0.75rem 1rem;
  border-inline-start: 0.25rem solid var(--bad-text);
  border-radius: 0.375rem;
  background: var(--bad-back);
  color: var(--bad-text);
}
.notice:focus-visible { outline: 2px solid; outline-offset: 1px; }
.skip { position: absolute; inset-inline-start: 0.5rem; inset-block-start: 0.5rem; z-index: 1; padding: 0.5rem 1rem; border-radius: 0.375rem; background: var(--card); transform: translateY(-200%); }
.skip:focus { transform: none; }
.summary { margin: 0 0 1.5rem; border-block-start: 1px solid var(--line); }
.summary > div { display: flex; justify-content: space-between; gap: 1rem; padding-block: 0.375rem; }
.summary > div:first-child { padding-block-start: 0.75rem; }
.summary dt { flex: 0 1000 auto; min-width: 7em; color: var(--soft); }
.summary dt small { display: block; }
.summary dd { max-width: 75%; margin: 0; overflow-wrap: break-word; text-align: end; font-variant-numeric: tabular-nums; }
.summary dd strong { font-weight: inherit; }
.summary dd small { display: block; }
.summary .item dt, .summary .item dd { color: var(--text); font-weight: 500; }
.summary .item small { font-weight: 400; }
.summary .total { margin-block-start: 0.375rem; padding-block: 0.75rem; border-block-start: 1px solid var(--line); }
.summary .total dt, .summary .total dd { color: var(--text); font-size: 1.0625rem; font-weight: 600; }
.summary .total:first-child { margin: 0; border: 0; }
.instructions { white-space: pre-line; }
main > :last-child, main > :last-child > .button { margin-bottom: 0; }
`;

const forms = `
.field { margin: 0 0 0.75rem; }
label, legend, summary { font-size: 0.875rem; font-weight: 500; }
.field label, .code label { display: block; margin-bottom: 0.25rem; }
.fields { display: flex; flex-wrap: wrap; gap: 0 0.75rem; }
.fields .field { flex: 1 1 100%; }
.fields .short { flex: 1 1 9rem; }
input, select {
  width: 100%;
  min-width: 0;
  min-height: 2.75rem;
  padding: 0.5rem 0.75rem;
  border: 1px solid var(--edge);
  border-radius: 0.375rem;
  background: var(--card);
  color: var(--text);
  font: inherit;
}
.field small { display: block; margin-top: 0.25rem; }
[aria-invalid] { border-color: var(--bad-text); }
.field .problem { color: var(--bad-text); }
.code { margin: 0 0 1.5rem; }
.code div, .code span { display: flex; gap: 0.5rem; }
.code input { flex: 1; }
.code div button, .code span button { width: auto; margin: 0; }
.applied { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 0 1rem; }
.applied p { margin: 0; }
.applied button { width: auto; margin: 0; padding-inline: 0; }
.details { margin: 0 0 1.5rem; border: 1px solid var(--line); border-radius: 0.5rem; }
summary { padding: 0.75rem 1rem; cursor: pointer; }
.details summary small { display: block; margin-inline-start: 1rem; font-weight: 400; }
.details form { padding: 0.25rem 1rem 1rem; }
.details button { margin: 0.25rem 0 0; }
fieldset { margin: 0 0 1.25rem; padding: 0; border: 0; }
legend { margin-bottom: 0.5rem; padding: 0; }
.method {
  display: flex;
  align-items: flex-start;
  gap: 0.75rem;
  padding: 0.75rem 1rem;
  border: 1px solid var(--line);
  margin-block-start: -1px;
  cursor: pointer;
}
.card-form { margin: 0 0 1rem; }
[hidden] { display: none; }
.method:first-of-type { border-start-start-radius: 0.5rem; border-start-end-radius: 0.5rem; }
.method:last-of-type { border-end-start-radius: 0.5rem; border-end-end-radius: 0.5rem; }
.method:hover { background: var(--raised); }
.method:has(:checked) { position: relative; border-color: var(--accent-text); background: var(--raised); }
.method small { display: block; font-weight: 400; }
input[type="radio"], input[type="checkbox"] { flex: none; width: 1.125rem; height: 1.125rem; min-height: 0; margin: 0.125rem 0 0; accent-color: var(--accent-text); }
.button, button {
  display: block;
  width: 100%;
  min-height: 2.75rem;
  margin: 0 0 0.75rem;
  padding: 0.625rem 1rem;
  border: 1px solid var(--accent-text);
  border-radius: 0.5rem;
  background: var(--accent);
  color: var(--on-accent);
  font: inherit;
  font-weight: 600;
  text-align: center;
  text-decoration: none;
  cursor: pointer;
  transition: filter 120ms;
}
.second { border-color: var(--edge); background: var(--card); color: var(--text); font-weight: 500; }
.quiet { min-height: 2.75rem; border-color: transparent; background: none; color: var(--soft); font-size: 0.875rem; font-weight: 400; text-decoration: underline; text-underline-offset: 0.2em; }
.button:hover, button:hover { filter: brightness(1.08); }
.second:hover, .quiet:hover { color: var(--text); background: var(--raised); filter: none; }
:focus-visible { outline: 3px solid var(--accent-text); outline-offset: 2px; }
`;

const conditions = `
:lang(fa), :lang(ps) { letter-spacing: 0 !important; }
@media (prefers-reduced-motion: reduce) { * { transition: none !important; } }
@media (forced-colors: active) {
  .method:has(:checked) { outline: 2px solid Highlight; outline-offset: -2px; }
  .button, button { border-color: ButtonText; }
}
@media print { .test, footer, form { display: none; } }
`;
