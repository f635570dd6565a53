import { accountFields, inputFields, requiredFields } from '../src/schemas/account-fields.js';
import { fieldNames } from '../src/schemas/fields-table.js';

const quoted = (names: readonly string[]) => `[${names.map((name) => `'${name}'`).join(', ')}]`;

/** Returns the module about fields of accounts for the web console, which imports nothing from the service. */
export function consoleFields(): string {
  const inputs = (['setup', 'register', 'create', 'profile', 'update'] as const).map(
    (input) => `  ${input}: ${quoted(inputFields(input))},\n`,
  );
  return `/** The fields of accounts, generated from src/schemas/account-fields.ts. Don't edit: \`npm run api:types\` writes this file. */
export const accountFields = ${quoted(fieldNames(accountFields))} as const;
export type AccountField = (typeof accountFields)[number];

/** The fields of each input. */
export const inputFields = {
${inputs.join('')}} as const;

/** Required fields of a new account. */
export const requiredFields: readonly AccountField[] = ${quoted(requiredFields('register'))};
`;
}
