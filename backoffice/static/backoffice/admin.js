/** Lets the theme's pages run on Alpine's build without eval, which knows neither global names nor statements. */
const INSTEAD = [
  [/^\s*\{\s*(?:activeTab: '([^']*)',)?\s*sidebarMobileOpen: [^]*$/, "page('$1')"],
  [/^\s*activeTab = [^]*\$watch\([^]*$/, ""],
  [/ localStorage\.setItem\([^]*$/, ""],
  [/if \(\$refs\.searchInput\.value [^]*$/, "leave($refs.searchInput)"],
  [/^if \(([^]*?)\) (selectItem\()/, "$1 && $2"],
  [/^([^;]+); ([^;]+)$/, "[$1, $2]"],
  [/^activeTab && [^]*window\.location\.search$/, "address(activeTab)"],
];

document.addEventListener("alpine:init", () => {
  for (const part of [theme, searchForm, searchDropdown, searchCommand]) Alpine.data(part.name, part);
  Alpine.data("page", (tab) => ({
    activeTab: tab && (getCurrentTab() || tab),
    sidebarMobileOpen: false,
    sidebarDesktopOpen: localStorage.getItem("sidebarDesktopOpen") !== "0",
    init() {
      this.$watch("sidebarDesktopOpen", (open) => localStorage.setItem("sidebarDesktopOpen", open ? "1" : "0"));
    },
    leave(input) {
      if (input.value === "") input.blur();
      else input.value = "";
    },
    address: (tab) => location.pathname + location.search + (tab && tab !== "general" ? `#${tab}` : ""),
  }));
  const rewrite = (expression) => INSTEAD.reduce((one, [theirs, ours]) => one.replace(theirs, ours), expression);
  Alpine.mapAttributes(({ name, value }) => ({ name, value: typeof value === "string" ? rewrite(value) : value }));
});
