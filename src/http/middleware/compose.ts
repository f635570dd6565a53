import type { RequestHandler } from 'express';

/**
 * Middlewares, one after the other, as one: a layer of Express' router takes longer than most of them do. They call `next`, or
 * throw at once; the rejection of an `async` one would be lost.
 */
export function compose(...middlewares: readonly RequestHandler[]): RequestHandler {
  return (request, response, next) => {
    let position = 0;
    function proceed(error?: unknown): void {
      const middleware = error ? undefined : middlewares[position];
      position += 1;
      if (middleware) void middleware(request, response, proceed);
      else next(error);
    }
    proceed();
  };
}
