import { type Request, type RequestHandler, type Response, Router } from 'express';
import { AppError } from '../../errors.js';
import type { Context } from '../../services/context.js';
import type { Operation } from '../api/operation.js';
import { type Contract, contract } from '../api/operations/contract.js';
import type { AnyHandler, Handlers } from './handler.js';
import { createResponder, type RequestControl } from './respond.js';

/** Returns the first two parts of a path, which are fixed in all paths of the contract. */
const prefixOf = (path: string) => path.replace(/\/$/, '').split('/', 3).join('/');

/**
 * Routes every operation of the contract to its handler. Other methods on its paths get 405. Express' router tries one path
 * after the other. To save time, fixed paths have a map, and all other paths have one router per prefix.
 */
export function bindContract(context: Context, handlers: Handlers, control: RequestControl): RequestHandler {
  const routers = new Map<string, Router>();
  const fixedPaths = new Map<string, (request: Request, response: Response) => Promise<void>>();
  const paths = new Map<string, (keyof Contract)[]>();
  // TypeScript types the keys of any object as text.
  for (const name of Object.keys(contract) as (keyof Contract)[])
    paths.set(contract[name].path, [...(paths.get(contract[name].path) ?? []), name]);
  // Registers each path with all its methods, so that a fixed path never matches a parameter of a later path.
  for (const [path, names] of paths) {
    const router = routers.get(prefixOf(path)) ?? Router({ caseSensitive: true });
    routers.set(prefixOf(path), router);
    const route = router.route(path);
    for (const name of names) {
      const operation: Operation = contract[name];
      // Each handler matches its own operation, but the loop only knows the union types.
      const serve = createResponder(context, operation, handlers[name] as AnyHandler, control);
      route[operation.method](serve);
      if (!path.includes(':')) fixedPaths.set(`${operation.method.toUpperCase()} ${path}`, serve);
    }
    const methods = names.map((name) => contract[name].method.toUpperCase());
    const allowed = [...methods, ...(methods.includes('GET') ? ['HEAD'] : [])];
    route.all((_request, response) => {
      // Only paths below /api support preflights.
      response.setHeader('Allow', [...allowed, ...(path.startsWith('/api/') ? ['OPTIONS'] : [])].join(', '));
      throw new AppError('METHOD_NOT_ALLOWED');
    });
  }
  return (request, response, next) => {
    const { method, path } = request;
    const serve = fixedPaths.get(`${method} ${path}`);
    if (serve) return void serve(request, response).catch(next);
    const router = routers.get(prefixOf(path));
    if (router) router(request, response, next);
    else next();
  };
}
