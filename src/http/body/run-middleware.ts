import type { Request, RequestHandler, Response } from 'express';

/** Runs one middleware outside a chain. @throws what it passes to `next` */
export const runMiddleware = (middleware: RequestHandler, request: Request, response: Response): Promise<void> =>
  new Promise((resolve, reject) => {
    middleware(request, response, (error?: unknown) => (error === undefined ? resolve() : reject(error)));
  });
