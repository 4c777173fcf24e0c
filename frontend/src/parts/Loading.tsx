import { t } from "../t";

export function Loading() {
  return (
    <main class="card">
      <p class="quiet" role="status">
        {t("Loading questions …")}
      </p>
    </main>
  );
}
