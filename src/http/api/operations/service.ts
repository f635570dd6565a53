import Joi from 'joi';
import { component } from '../json-schema.js';
import { anybody, created, ok, operations, streamed, superAdmin } from '../operation.js';
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

const operation = operations('Service');

/** The service itself. */
export const serviceOperations = {
  health: operation.get('/healthz', {
    summary: 'Whether the process is alive',
    access: anybody,
    availableBeforeReady: true,
    success: ok('Alive', { status: Joi.valid('ok').required() }),
  }),
  readiness: operation.get('/readyz', {
    summary:
      'Whether the service can serve: its database answers, has the right schema, and an SQLite file space on its disk',
    access: anybody,
    availableBeforeReady: true,
    success: ok('Ready, with the current load', readiness),
    failures: ['NOT_READY'],
  }),
  showDemo: operation.get('/api/demo', {
    summary: 'Whether the demo programme can be loaded, or is, and how to log in to it',
    access: superAdmin,
    success: ok('The demo programme', { demo }),
  }),
  loadDemo: operation.post('/api/demo', {
    summary: 'Add the demo programme to an empty database: 3 trainers, 12 courses, 200 trainees and their enrollments',
    description:
      'As the command `coursectl seed demo`. Its accounts have a public password: it is refused when `NODE_ENV` is `production`, and when there are other accounts than that of the super admin, or when that account has the email or phone number of a demo account. Where it was loaded before, nothing changes.',
    access: superAdmin,
    databaseDeadline: 'none',
    success: created('The demo programme is loaded', { message: shapes.message('Demo programme loaded.'), demo }),
    failures: ['SEED_REFUSED', 'DATABASE_NOT_EMPTY'],
  }),
  openapi: operation.get('/api/openapi.json', {
    summary: 'This description',
    access: anybody,
    success: ok('An OpenAPI 3.1 document', Joi.object({ openapi: shapes.text }).unknown()),
  }),
  docs: operation.get('/api/docs', {
    summary: 'The same description, as a page',
    access: anybody,
    success: streamed('The page', 'text/html'),
  }),
  metrics: operation.get('/metrics', {
    summary: 'Metrics for Prometheus; with METRICS_TOKEN set, they need that token',
    access: anybody,
    availableBeforeReady: true,
    success: streamed('The metrics in its text format', 'text/plain'),
    failures: ['TOKEN_MISSING', 'TOKEN_INVALID', 'OVERLOADED'],
  }),
};
