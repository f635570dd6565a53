/** Writes the types of the API: `npm run api:types`. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openapiDocument } from '../src/http/api/openapi.js';
import { openapiTypes } from './openapi-types.js';

writeFileSync(fileURLToPath(new URL('../examples/api-types.d.ts', import.meta.url)), openapiTypes(openapiDocument()));
