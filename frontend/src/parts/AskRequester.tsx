import { useState } from "preact/hooks";
import type { About } from "./AskDialog";
import { AskDialog } from "./Rare";
import { t } from "../t";

/** The way to write to the requester: the worker's own page, or on a platform, where there is none, a dialog. */
export function AskRequester({ api, context, token }: About) {
  const { home, session, task } = context;
  const [opened, open] = useState(false);
  const label = t("Write to the requester");
  if (!session)
    return (
      <a class="plain" data-ask href={`${home}messages/?${token ? `assignment=${token}` : `task=${task}`}`}>
        {label}
      </a>
    );
  return (
    <>
      <button type="button" class="plain" data-ask onClick={() => open(true)}>
        {label}
      </button>
      {opened && <AskDialog {...{ api, context, token }} onClose={() => open(false)} />}
    </>
  );
}
