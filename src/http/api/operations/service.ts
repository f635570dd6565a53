import Joi from 'joi';
import { component } from '../json-schema.js';
import { anybody, operation, superAdmin } from '../operation.js';
import * as shapes from '../response-schemas.js';

const count = Joi.number().integer().min(0).required();

const readiness = Joi.object({
  status: Joi.valid('ok').required(),
  requests: Joi.object({ working: count, queued: count, turnedAway: count }).description(
    'Requests being processed, queued, and refused in the last second',
  ),
  waiting: Joi.object({ bodies: count, uploads: count, responses: count, hashes: count }).description(
    'Requests that wait for their clients, and hashes of passwords that wait for a core',
  ),
  connections: Joi.number().integer().min(0),
});

const demo = component(
  'Demo',
  'The demo programme of this database',
  Joi.object({
    status: Joi.valid('available', 'loaded', 'unavailable')
      .required()
      .description('`available`: it can be loaded; `unavailable` in production, and where there are other accounts')
      .example('loaded'),
    accounts: Joi.array()
      .items(Joi.string().example('trainer1@example.com'))
      .required()
      .description('Accounts to log in with besides those of its trainees; empty unless it is loaded'),
    password: shapes.text
      .allow(null)
      .description('The public password of all its accounts; null unless it is loaded')
      .example('demo-password'),
  }).required(),
);

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
  showDemo: operation({
    method: 'get',
    path: '/api/demo',
    tag: 'Service',
    summary: 'Whether the demo programme can be loaded, or is, and how to log in to it',
    access: superAdmin,
    success: { status: 200, description: 'The demo programme', body: Joi.object({ demo }) },
  }),
  loadDemo: operation({
    method: 'post',
    path: '/api/demo',
    tag: 'Service',
    summary: 'Add the demo programme to an empty database: 3 trainers, 12 courses, 200 trainees and their enrollments',
    description:
      'As the command `coursectl seed demo`. Its accounts have a public password: it is refused when `NODE_ENV` is `production`, and when there are other accounts than that of the super admin, or when that account has the email or phone number of a demo account. Where it was loaded before, nothing changes.',
    access: superAdmin,
    databaseDeadline: 'none',
    success: {
      status: 201,
      description: 'The demo programme is loaded',
      body: Joi.object({ message: shapes.message('Demo programme loaded.'), demo }),
    },
    failures: ['SEED_REFUSED', 'DATABASE_NOT_EMPTY'],
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
