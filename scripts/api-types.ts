/** Writes the types of the API for all clients, and the generated modules of the web console: `npm run api:types`. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openapiDocument } from '../src/http/api/document/openapi.js';
import { consoleFields } from './console-fields.js';
import { consoleStatuses } from './console-statuses.js';
import { openapiTransports, openapiTypes } from './openapi-types.js';

const write = (file: string, text: string) =>
  writeFileSync(fileURLToPath(new URL(`../${file}`, import.meta.url)), text);
const document = openapiDocument();
write('examples/api-types.d.ts', openapiTypes(document));
write('src/console/api/operations.ts', openapiTransports(document));
write('src/console/api/enrollment-statuses.ts', consoleStatuses());
write('src/console/api/account-fields.ts', consoleFields());
