import type { Shown } from "./usePicture";
import { t } from "../t";

/** The words over a picture that is not there yet, or did not load. */
export function LoadingNote({ loading, retry }: Pick<Shown, "loading" | "retry">) {
  if (loading === "shown") return null;
  if (loading === "loading") return <p class="note">{t("Loading the picture …")}</p>;
  return (
    <div class="note" role="alert">
      <p>{t("The picture did not load.")}</p>
      <button type="button" onClick={retry}>
        {t("Try again")}
      </button>
    </div>
  );
}
