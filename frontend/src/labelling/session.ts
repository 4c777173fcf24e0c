/** A session on a platform: the assignments it needs, its pay, and the way back after it is handed in. */

export interface Session {
  /** The platform's public name. */
  platform: string;
  /** The platform's word for an offer: "HIT", "study". */
  word: string;
  /** The number of assignments that the session needs, and the number that it may have. */
  least: number;
  quota: number;
  /** The platform's reward for the session, in cents. */
  reward: number;
  currency: string;
  /** Whether the session is paid even if the test was not passed. */
  paysTests: boolean;
  /** How to leave the session without handing it in, in words. */
  wayOut: string;
  /** The address after handing in: a form posts these fields to it; without fields the page just goes there. */
  url: string;
  fields: Record<string, string>;
  /** The page's first token, by which the worker's own data is opened. */
  bearer: string;
}

/** Read the session from the attributes of the page; null: the worker did not come from a platform. */
export function sessionOf(data: DOMStringMap): Session | null {
  const { platform } = data;
  if (!platform) return null;
  return {
    platform,
    wayOut: data["wayOut"] ?? "",
    word: data["placeWord"] ?? "",
    least: Number(data["least"] ?? 1),
    quota: Number(data["quota"] ?? 1),
    reward: Number(data["reward"] ?? 0),
    currency: data["currency"] ?? "",
    paysTests: data["paysTests"] === "yes",
    url: data["finishUrl"] ?? "",
    bearer: data["bearer"] ?? "",
    fields: JSON.parse(data["finishFields"] || "{}") as Session["fields"],
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
