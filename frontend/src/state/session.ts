/** A session of a platform: what it needs, what it pays, and the way back when it is handed in. */

export interface Session {
  /** The platform's name, as people know it. */
  platform: string;
  /** What the platform calls an offer: "HIT", "study". */
  word: string;
  /** Assignments that it needs, and that it may have. */
  least: number;
  quota: number;
  /** What the platform pays for it, in cents. */
  reward: number;
  currency: string;
  /** It is paid for a test that was not passed, too. */
  paysTests: boolean;
  /** How to leave it without handing it in. */
  howToLeave: string;
  /** Where the worker goes then: by a form with these fields, or, without any, by a plain address. */
  url: string;
  fields: Record<string, string>;
}

const PLATFORMS: Record<string, { name: string; howToLeave: string }> = {
  mturk: { name: "Mechanical Turk", howToLeave: "To leave the HIT itself, use its own Return button." },
  prolific: { name: "Prolific", howToLeave: "To leave the study itself, return it on Prolific." },
};

/** From the attributes of the page; null: the worker is here by themselves. */
export function sessionOf(data: DOMStringMap): Session | null {
  const { platform } = data;
  if (!platform) return null;
  const { name, howToLeave } = PLATFORMS[platform] ?? { name: platform, howToLeave: "" };
  return {
    platform: name,
    howToLeave,
    word: data["placeWord"] ?? "session",
    least: Number(data["least"] ?? 1),
    quota: Number(data["quota"] ?? 1),
    reward: Number(data["reward"] ?? 0),
    currency: data["currency"] ?? "",
    paysTests: data["paysTests"] === "yes",
    url: data["finishUrl"] ?? "",
    fields: JSON.parse(data["finishFields"] || "{}") as Session["fields"],
  };
}

function field(name: string, value: string): HTMLInputElement {
  return Object.assign(document.createElement("input"), { type: "hidden", name, value });
}

/** Goes back to the platform. Again it does the same. */
export function goBack({ url, fields }: Session): void {
  const inputs = Object.entries(fields).map(([name, value]) => field(name, value));
  if (inputs.length === 0) {
    location.assign(url);
    return;
  }
  const form = Object.assign(document.createElement("form"), { method: "post", action: url });
  form.append(...inputs);
  document.body.append(form);
  form.submit();
}
