import { Ajv2020, type AnySchema, type ValidateFunction } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { openapiDocument } from '../../../src/http/api/document/openapi.js';
import type { Operation } from '../../../src/http/api/operation.js';

interface JsonContent {
  schema: AnySchema;
  example?: unknown;
  examples?: object;
}

/** An operation as the OpenAPI document describes it. */
export interface DescribedOperation {
  operationId: string;
  security: object[];
  parameters: { name: string; in: string; required: boolean; schema: AnySchema }[];
  requestBody?: { required: boolean; content: { 'application/json': JsonContent } };
  responses: Record<string, { description: string; headers?: object; content: { 'application/json': JsonContent } }>;
}

interface Document {
  openapi: string;
  info: { version: string };
  paths: Record<string, Record<string, DescribedOperation>>;
  components: { schemas: Record<string, AnySchema>; examples: Record<string, object> };
}

export const document = openapiDocument() as Document;

export const descriptionOf = ({ method, path }: Operation): DescribedOperation | undefined =>
  document.paths[path.replace(/:(\w+)/g, '{$1}')]?.[method];

/** Returns a compiler of schemas, which resolves references within the document. */
function compiler(): (schema: AnySchema) => ValidateFunction {
  const ajv = new Ajv2020({ strict: true, allErrors: true, allowUnionTypes: true, strictRequired: false });
  ajvFormats.default(ajv);
  for (const keyword of ['openapi', 'info', 'servers', 'tags', 'paths', 'components']) ajv.addKeyword(keyword);
  ajv.addSchema({ ...document, $id: 'document' });
  return (schema) => ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')));
}
export const compile = compiler();
