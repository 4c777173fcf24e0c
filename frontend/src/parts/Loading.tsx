import { t } from "../t";

export function Loading() {
  return (
    <main class="card" data-answers="wait">
      <p class="quiet" role="status">
        {t("Loading questions …")}
      </p>
    </main>
  );
}
