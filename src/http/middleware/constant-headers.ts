import { IncomingMessage, type OutgoingHttpHeader, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Request, RequestHandler, Response } from 'express';

/** Names and values of headers. */
export type Headers = readonly (readonly [name: string, value: OutgoingHttpHeader])[];

/**
 * The headers that a middleware of a library gives to a GET request without headers. One that gives the same to every such
 * request need only be asked once.
 */
export function headersOf(middleware: RequestHandler): Headers {
  const request = new IncomingMessage(new Socket());
  request.method = 'GET';
  const response = new ServerResponse(request);
  // It needs no more of Express than what it extends.
  middleware(request as Request, response as Response, () => undefined);
  return response.getHeaderNames().map((name) => [name, response.getHeader(name) ?? '']);
}

/** Sets headers of an answer. */
export function setHeaders(response: ServerResponse, headers: Headers): void {
  for (const [name, value] of headers)
    response.setHeader(name, typeof value === 'number' || typeof value === 'string' ? value : [...value]);
}
