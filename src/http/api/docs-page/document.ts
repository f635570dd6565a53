/** The parts of JSON Schema that the page uses. */
export interface Schema {
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  format?: string;
  description?: string;
  examples?: unknown[];
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  default?: unknown;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  oneOf?: Schema[];
  anyOf?: Schema[];
  $ref?: string;
}

interface Example {
  value?: unknown;
  $ref?: string;
}

interface MediaType {
  schema: Schema;
  example?: unknown;
  examples?: Record<string, Example>;
}

/** Bodies by their media type. */
export type Content = Record<string, MediaType>;

export interface Parameter {
  name: string;
  in: 'path' | 'query';
  description: string;
  required: boolean;
  schema: Schema;
}

export interface DescribedOperation {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  security: object[];
  parameters: Parameter[];
  requestBody?: { content: Content };
  responses: Record<string, { description: string; content?: Content }>;
}

/** The parts of an OpenAPI document that the page uses. */
export interface Document {
  info: { title: string; version: string; description: string };
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, DescribedOperation>>;
  components: { schemas: Record<string, Schema>; examples: Record<string, Example> };
}

/** An operation with its method and path in the document. */
export interface Endpoint {
  method: string;
  path: string;
  operation: DescribedOperation;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Escapes text for element content and double-quoted attributes. */
export const escaped = (text: unknown): string =>
  String(text).replace(/[&<>"]/g, (character) => entities[character] ?? character);

/** Returns a description as HTML. Text between backticks becomes code. */
export const descriptionHtml = (text: string): string => escaped(text).replace(/`([^`]+)`/g, '<code>$1</code>');

/** Returns the last part of a reference: `User` for `#/components/schemas/User`. */
export const referenceName = (reference: string): string => reference.replace(/^.*\//, '');
