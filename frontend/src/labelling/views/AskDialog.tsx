import { useEffect, useState } from "preact/hooks";
import type { Api } from "../../api/client";
import type { Conversation } from "../../api/types";
import type { PageContext } from "../calls";
import { localTime } from "../../local_time";
import { t } from "../../t";
import { Dialog } from "../../ui/Dialog";

const LENGTH = 2000;

/** What a message is about, and the way to send it. */
export interface About {
  api: Pick<Api, "messages" | "write">;
  context: PageContext;
  /** The assignment that the message is about; null: the worker's status in the task. */
  token: string | null;
}

/** A message to the requester, and what was written before. */
export function AskDialog({ api, context: { project, task }, token, onClose }: About & { onClose: () => void }) {
  const [earlier, setEarlier] = useState<Conversation[]>([]);
  const [said, say] = useState("");
  const [sending, setSending] = useState(false);
  const look = (): Promise<void> => api.messages(project).then(setEarlier).catch(() => undefined);
  useEffect(() => void look(), []);
  const send = (event: SubmitEvent): void => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    setSending(true);
    api
      .write(project, { text: String(new FormData(form).get("text")), ...(token ? { assignment: token } : { task }) })
      .then(() => {
        form.reset();
        say(t("Your message was sent. The answer will be shown here."));
        return look();
      })
      .catch((error: unknown) => say((error instanceof Error && error.message) || t("The message was not sent. Try again.")))
      .finally(() => setSending(false));
  };
  return (
    <Dialog title={t("Write to the requester")} onClose={onClose}>
      <form onSubmit={send}>
        <label class="field">
          {token ? t("About this assignment") : t("About your status in this task")}
          <textarea name="text" rows={4} maxLength={LENGTH} required />
        </label>
        <p role="status">{said}</p>
        <button type="submit" class="primary" disabled={sending}>
          {sending ? t("Sending …") : t("Send")}
        </button>
      </form>
      {earlier.flatMap(({ posts }) =>
        posts.map(({ answer, text, at }) => (
          <p class={answer ? "said answer" : "said"}>
            <span class="quiet">
              {answer ? t("The requester") : t("You")}, {localTime(new Date(at))}
            </span>
            <br />
            {text}
          </p>
        )),
      )}
    </Dialog>
  );
}
