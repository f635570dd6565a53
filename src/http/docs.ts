import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { notFound } from '../errors.js';
import type { StreamAnswer } from './bind.js';

/** The description of the API for people: Swagger UI, served from here alone, so that it works without the internet. */

const require = createRequire(import.meta.url);
const swaggerFolder = () => path.dirname(require.resolve('swagger-ui-dist/package.json'));

const page = `<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>coursectl API</title>
    <link rel="stylesheet" href="docs/swagger-ui.css">
    <link rel="icon" type="image/png" href="docs/favicon-32x32.png">
  </head>
  <body>
    <div id="api"></div>
    <noscript>This page needs JavaScript. The same as a file: <a href="openapi.json">openapi.json</a></noscript>
    <script src="docs/swagger-ui-bundle.js"></script>
    <script src="docs/start.js"></script>
  </body>
</html>
`;

const start = `SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#api',
  deepLinking: true,
  docExpansion: 'none',
  // Nothing of it is sent anywhere.
  validatorUrl: null,
});
`;

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

function textAnswer(text: string, contentType: string): StreamAnswer {
  return {
    contentType,
    contentSecurityPolicy: policy,
    async *pieces() {
      yield text;
    },
  };
}

export const docsPage = (): StreamAnswer => textAnswer(page, 'text/html; charset=utf-8');

const assets: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
};

/** A part of the page. @throws AppError `NOT_FOUND` */
export async function docsAsset(name: string): Promise<StreamAnswer> {
  if (name === 'start.js') return textAnswer(start, 'text/javascript; charset=utf-8');
  const contentType = Object.hasOwn(assets, name) ? assets[name] : undefined;
  if (contentType === undefined) throw notFound('File');
  const file = path.join(swaggerFolder(), name);
  const { size } = await stat(file);
  return { contentType, bytes: size, contentSecurityPolicy: policy, pieces: () => createReadStream(file) };
}
