import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["dist", "node_modules", "src/api/schema.d.ts"] },
  ...tseslint.configs.strict,
  { rules: { "@typescript-eslint/no-non-null-assertion": "error" } },
  {
    files: ["src/canvas/**"],
    rules: {
      "no-restricted-imports": [
        "error",
        { patterns: [{ group: ["**/api/**", "**/labelling/**", "**/projects/**", "**/tasks/**"], message: "The canvas knows of boxes, keys and words only: give it what it needs as a prop." }] },
      ],
    },
  },
  {
    files: ["src/**"],
    ignores: ["src/api/**"],
    rules: { "no-restricted-globals": ["error", { name: "fetch", message: "Requests go through api/client." }] },
  },
  {
    files: ["tests/**"],
    rules: {
      "no-restricted-syntax": [
        "error",
        {
          selector: "CallExpression[callee.object.name='vi'][callee.property.name=/^(mock|doMock)$/]:not([arguments.0.value=/^\\.\\.\\/\\.\\.\\/src\\/(canvas\\/Stage|labelling\\/session)$/])",
          message: "A mock outlasts its file: name the module here and in tests/support/setup.ts.",
        },
      ],
    },
  },
);
