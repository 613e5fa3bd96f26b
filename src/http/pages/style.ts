import { dark, darkAccent, declareColors, light, lightAccent } from './tokens.ts';

/** The stylesheet of the customers' pages. */
export const style = `
:root { color-scheme: light dark; ${declareColors(light)} ${declareColors(lightAccent)} }
@media (prefers-color-scheme: dark) {
  :root { ${declareColors(dark)} ${declareColors(darkAccent)} }
}
* { box-sizing: border-box; }
body {
  margin: 0;
  padding: 1rem;
  background: var(--page);
  color: var(--text);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
}
main {
  max-width: 30rem;
  margin: 0 auto;
  padding: 1.5rem;
  background: var(--card);
  border: 1px solid var(--line);
  border-radius: 0.75rem;
  overflow-wrap: anywhere;
}
@media (min-width: 40rem) {
  body { padding: 4rem 1rem; }
  main { padding: 2rem; }
}
p { margin: 0 0 1rem; }
.seller {
  display: flex;
  flex-wrap: wrap;
  justify-content: space-between;
  gap: 0.25rem 1rem;
  margin-bottom: 1.5rem;
  color: var(--soft);
  font-weight: 600;
}
.test {
  padding: 0.05rem 0.6rem;
  border-radius: 1rem;
  background: var(--wait-back);
  color: var(--wait-text);
  font-size: 0.8125rem;
  line-height: 1.6;
}
h1 { margin: 0 0 0.75rem; font-size: 1.625rem; line-height: 1.25; }
.greeting { margin-bottom: 0.25rem; color: var(--soft); }
.greeting + h1 { margin-bottom: 0.25rem; }
.schedule { margin-bottom: 1.5rem; font-size: 1.0625rem; }
.notice {
  padding: 0.75rem 1rem;
  border-radius: 0.5rem;
  background: var(--bad-back);
  color: var(--bad-text);
}
dl { margin: 0 0 1.5rem; border-top: 1px solid var(--line); }
dl > div {
  display: flex;
  justify-content: space-between;
  gap: 1rem;
  padding: 0.625rem 0;
  border-bottom: 1px solid var(--line);
}
dt { color: var(--soft); }
dd { margin: 0; text-align: end; font-variant-numeric: tabular-nums; white-space: nowrap; }
.total dt, .total dd { color: var(--text); font-weight: 700; font-size: 1.125rem; }
.code { margin: 0 0 1.5rem; }
.code label { display: block; margin-bottom: 0.5rem; font-weight: 600; }
.code div { display: flex; gap: 0.5rem; }
.code input[name="code"] { flex: 1; min-width: 0; padding: 0.75rem 1rem; border: 1px solid var(--soft); border-radius: 0.5rem; background: var(--card); color: var(--text); font: inherit; }
.code div button { width: auto; margin: 0; }
.code p { margin: 0; }
.details { margin: 0 0 1.25rem; border: 1px solid var(--line); border-radius: 0.5rem; }
summary { padding: 0.75rem 1rem; font-weight: 600; cursor: pointer; }
.details form { padding: 0.25rem 1rem 1rem; }
.field { margin: 0 0 0.75rem; }
.field label { display: block; margin-bottom: 0.25rem; font-size: 0.875rem; }
.field input, .field select { width: 100%; min-height: 2.75rem; padding: 0.5rem 0.75rem; border: 1px solid var(--soft); border-radius: 0.5rem; background: var(--card); color: var(--text); font: inherit; }
.field [aria-invalid] { border-color: var(--bad-text); }
.field small { display: block; margin-top: 0.25rem; color: var(--soft); font-size: 0.8125rem; }
.field .problem { color: var(--bad-text); }
fieldset { margin: 0 0 1.25rem; padding: 0; border: 0; }
legend { margin-bottom: 0.5rem; padding: 0; font-weight: 600; }
.method {
  display: flex;
  align-items: flex-start;
  gap: 0.75rem;
  margin-bottom: 0.5rem;
  padding: 0.75rem 1rem;
  border: 1px solid var(--line);
  border-radius: 0.5rem;
  cursor: pointer;
}
.card-form { margin: 0 0 1rem; }
[hidden] { display: none; }
.method:hover, .method:has(:checked) { border-color: var(--accent); }
.method:has(:checked) { box-shadow: inset 0 0 0 1px var(--accent); }
input[type="radio"] { flex: none; width: 1.125rem; height: 1.125rem; margin: 0.2rem 0 0; accent-color: var(--accent); }
.method small { display: block; color: var(--soft); font-size: 0.875rem; }
.button, button {
  display: block;
  width: 100%;
  margin: 0 0 0.75rem;
  padding: 0.75rem 1rem;
  border: 1px solid var(--accent);
  border-radius: 0.5rem;
  background: var(--accent);
  color: var(--on-accent);
  font: inherit;
  font-weight: 600;
  text-align: center;
  text-decoration: none;
  cursor: pointer;
}
button.second { margin: 1rem 0 0; background: none; color: var(--accent); }
button.quiet { margin: 0; border-color: transparent; background: none; color: var(--soft); font-weight: 400; text-decoration: underline; }
.button:hover, button:hover { filter: brightness(1.1); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.small { margin: 1rem 0 0; color: var(--soft); font-size: 0.875rem; }
.instructions { white-space: pre-line; }
main > :last-child { margin-bottom: 0; }
`;
