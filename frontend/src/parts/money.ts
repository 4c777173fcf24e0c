/** An amount in the browser's language: "€0.40". */
export function money(cents: number, currency: string): string {
  const amount = cents / 100;
  if (!/^[a-z]{3}$/i.test(currency)) return amount.toFixed(2);
  return new Intl.NumberFormat(undefined, { style: "currency", currency }).format(amount);
}
