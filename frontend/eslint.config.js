import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["dist", "node_modules", "src/api/schema.d.ts"] },
  ...tseslint.configs.strict,
  { rules: { "@typescript-eslint/no-non-null-assertion": "error" } },
  {
    files: ["tests/**"],
    rules: {
      "no-restricted-syntax": [
        "error",
        {
          selector: "CallExpression[callee.object.name='vi'][callee.property.name=/^(mock|doMock)$/]:not([arguments.0.value=/^\\.\\.\\/\\.\\.\\/src\\/(canvas\\/Stage|state\\/session)$/])",
          message: "A mock outlasts its file: name the module here and in tests/support/setup.ts.",
        },
      ],
    },
  },
);
