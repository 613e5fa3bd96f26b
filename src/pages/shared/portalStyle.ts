/** The part of the stylesheet for the pages of the portal. */
export const portalStyle = `
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
h3 { margin: 1rem 0 0.25rem; font-size: 1rem; }
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
