import Joi from 'joi';
import { anybody, operation } from '../operation.js';
import * as shapes from '../response-schemas.js';

const count = Joi.number().integer().min(0).required();

const readiness = Joi.object({
  status: Joi.valid('ok').required(),
  requests: Joi.object({ working: count, queued: count, turnedAway: count }).description(
    'Requests being processed, queued, and refused in the last second',
  ),
  waiting: Joi.object({ bodies: count, uploads: count, logins: count, answers: count }).description(
    'Requests that wait for their clients, or for a hash',
  ),
  connections: Joi.number().integer().min(0),
});

/** The service itself. */
export const serviceOperations = {
  health: operation({
    method: 'get',
    path: '/healthz',
    tag: 'Service',
    summary: 'Whether the process is alive',
    access: anybody,
    availableBeforeReady: true,
    success: { status: 200, description: 'Alive', body: Joi.object({ status: Joi.valid('ok').required() }) },
  }),
  readiness: operation({
    method: 'get',
    path: '/readyz',
    tag: 'Service',
    summary: 'Whether the service can serve: its database answers and has the right schema',
    access: anybody,
    availableBeforeReady: true,
    success: { status: 200, description: 'Ready, with the current load', body: readiness },
    failures: ['NOT_READY'],
  }),
  openapi: operation({
    method: 'get',
    path: '/api/openapi.json',
    tag: 'Service',
    summary: 'This description',
    access: anybody,
    success: {
      status: 200,
      description: 'An OpenAPI 3.1 document',
      body: Joi.object({ openapi: shapes.text }).unknown(),
    },
  }),
  docs: operation({
    method: 'get',
    path: '/api/docs',
    tag: 'Service',
    summary: 'The same description, as a page',
    access: anybody,
    success: { status: 200, description: 'The page', content: 'text/html' },
  }),
  metrics: operation({
    method: 'get',
    path: '/metrics',
    tag: 'Service',
    summary: 'Metrics for Prometheus; with METRICS_TOKEN set, they need that token',
    access: anybody,
    availableBeforeReady: true,
    success: { status: 200, description: 'The metrics in its text format', content: 'text/plain' },
    failures: ['TOKEN_MISSING', 'TOKEN_INVALID', 'OVERLOADED'],
  }),
};
