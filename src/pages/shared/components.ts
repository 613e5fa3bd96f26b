/** Parts that pages are made of. */
import { html, type Html } from '../../lib/html.ts';

/** Whether an act succeeded, is under way, or is no longer possible. */
export type Tone = 'good' | 'waiting' | 'bad';

/** The title and the content of a page. */
export interface PageContent {
  title: string;
  content: Html;
  tone?: Tone;
}

/** Builds a page of a heading, a notice if there is one, and its content. */
export const buildPage = (
  title: string,
  notice: Html | string | undefined,
  ...content: (Html | undefined)[]
): PageContent => ({
  title,
  content: html`<h1>${title}</h1>
    ${renderNotice(notice)}${content}`,
});

/** Renders the message about the last request. It has the focus, so the keyboard continues there and screen readers read it first. */
export const renderNotice = (notice: Html | string | undefined): Html | undefined =>
  notice ? html`<p class="notice" role="alert" tabindex="-1" autofocus>${notice}</p> ` : undefined;

/** Renders the hidden field with the token of a form. */
export const renderToken = (token: string): Html =>
  html`<input type="hidden" name="token" value="${token}" />`;

/** A row of a summary: a label and its value, isolated from the direction of the text around them. */
export interface SummaryRow {
  label: Html | string;
  value: Html | string;
  /** Small print below the label: `3 × €5.00`. */
  notes?: Html[];
  /** `item` for what is sold, `total` for the amount at the end. */
  emphasis?: 'item' | 'total';
}

/** Renders rows of labels and values. */
export const renderSummary = (rows: SummaryRow[]): Html =>
  html`<dl class="summary">
    ${rows.map(
      ({ label, value, notes = [], emphasis }) =>
        html`<div ${emphasis && html`class="${emphasis}"`}>
          <dt>
            <bdi>${label}</bdi>
            ${notes.map((note) => html`<small>${note}</small> `)}
          </dt>
          <dd><bdi>${value}</bdi></dd>
        </div> `,
    )}
  </dl> `;

/** A field of a form. */
export interface Field {
  /** The name in the form, also the id of the element. */
  name: string;
  label: Html | string;
  value: string;
  /** The token of the HTML attribute `autocomplete`. */
  autocomplete: string;
  hint?: Html | string;
  /** Why the value was refused. */
  problem?: Html | string;
  /** The choices of a list; without them the field is a line of text. */
  choices?: { value: string; label: string }[];
  isRequired?: boolean;
  /** Whether two of these fields share a line on wide screens. */
  isShort?: boolean;
  maxLength?: number;
}

/** Renders a field with its label, and below it the problem or the hint. */
export function renderField(field: Field): Html {
  const { name, label, problem, hint, isShort } = field;
  const note = problem ?? hint;
  return html`<p class="field${isShort ? ' short' : undefined}">
    <label for="${name}">${label}</label>
    ${renderControl(field)}${note && html`<small id="${name}-note" ${problem && html` class="problem"`}>${note}</small>`}
  </p> `;
}

function renderControl(field: Field): Html {
  const { name, value, autocomplete, hint, problem, choices, isRequired, maxLength = 200 } = field;
  const attributes = html`id="${name}" name="${name}"
  autocomplete="${autocomplete}"${isRequired ? html` required` : undefined}${(problem ?? hint) && html` aria-describedby="${name}-note"`}${problem && html` aria-invalid="true"`}`;
  if (!choices)
    return html`<input ${attributes} value="${value}" dir="auto" maxlength="${String(maxLength)}" />`;
  return html`<select ${attributes}>
    ${choices.map(
      (choice) =>
        html`<option value="${choice.value}" ${choice.value === value ? html`selected` : undefined}>
          ${choice.label}
        </option> `,
    )}
  </select>`;
}
