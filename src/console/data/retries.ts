/** Queries that the server could not execute for the time being are sent again before anybody hears of it. */

const delaysMs = [500, 2000];
/** What passes by itself. A query that took too long would take as long again. */
const passing = new Set(['unavailable', 'rate_limited']);

interface Answer {
  errors?: { extensions?: { reason?: string } }[];
}

/** Sends a query, and again after a moment if the server is busy; of a part of it, too. */
export async function sendQuery(send: () => Promise<Response>): Promise<Response> {
  for (const delayMs of delaysMs) {
    const response = await send();
    if (!(await isBusy(response.clone()))) return response;
    await new Promise((resolve) => setTimeout(resolve, delayMs));
  }
  return send();
}

async function isBusy(response: Response): Promise<boolean> {
  const text = await response.text();
  // Few answers have it, and only those are parsed twice.
  if (!text.includes('"retryAfterSeconds":')) return false;
  const { errors = [] } = JSON.parse(text) as Answer;
  return errors.some(({ extensions }) => passing.has(extensions?.reason ?? ''));
}
