/** A session on a platform: the assignments it needs, its pay, and the way back after it is handed in. */

export type Session = NonNullable<ReturnType<typeof sessionOf>>;

/** Read the session from the attributes of the page; null: the worker did not come from a platform. */
export function sessionOf(data: DOMStringMap) {
  const { platform, wayOut = "", placeWord: word = "", least, quota, reward, currency = "", paysTests, finishUrl: url = "", bearer = "" } = data;
  if (!platform) return null;
  return {
    /** The platform's public name. */
    platform,
    /** The platform's word for an offer: "HIT", "study". */
    word,
    /** How to leave the session without handing it in, in words. */
    wayOut,
    /** The number of assignments that the session needs, and the number that it may have. */
    least: Number(least ?? 1),
    quota: Number(quota ?? 1),
    /** The platform's reward for the session, in cents. */
    reward: Number(reward ?? 0),
    currency,
    /** Whether the session is paid even if the test was not passed. */
    paysTests: paysTests === "yes",
    /** The address after handing in: a form posts these fields to it; without fields the page just goes there. */
    url,
    fields: JSON.parse(data["finishFields"] || "{}") as Record<string, string>,
    /** The page's first token, by which the worker's own data is opened. */
    bearer,
  };
}

/** Leave the page for another one. */
export const goTo = (address: string): void => location.assign(address);

function field(name: string, value: string): HTMLInputElement {
  return Object.assign(document.createElement("input"), { type: "hidden", name, value });
}

/** Go back to the platform. Repeating this is safe. */
export function goBack({ url, fields }: Session): void {
  const inputs = Object.entries(fields).map(([name, value]) => field(name, value));
  if (inputs.length === 0) {
    goTo(url);
    return;
  }
  const form = Object.assign(document.createElement("form"), { method: "post", action: url });
  form.append(...inputs);
  document.body.append(form);
  form.submit();
}
