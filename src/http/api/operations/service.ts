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
    'Requests waiting for their clients, and password hashes waiting for a core',
  ),
  connections: Joi.number().integer().min(0),
});

const demo = component(
  'Demo',
  'The demo programme of this database',
  Joi.object({
    status: Joi.valid('available', 'loaded', 'unavailable')
      .required()
      .description('`available`: can be loaded; `unavailable`: in production, and if other accounts exist')
      .example('loaded'),
    accounts: Joi.array()
      .items(Joi.string().example('trainer1@example.com'))
      .required()
      .description('Accounts for the login: staff and a trainee; empty unless the demo programme is loaded'),
    password: shapes.text
      .allow(null)
      .description('Public password of all demo accounts; null unless the demo programme is loaded')
      .example('demo-password'),
  }).required(),
);

const operation = operations('Service');

export const serviceOperations = {
  health: operation.get('/healthz', {
    summary: 'Whether the process is alive',
    access: anybody,
    availableBeforeReady: true,
    success: ok('Alive', { status: Joi.valid('ok').required() }),
  }),
  readiness: operation.get('/readyz', {
    summary:
      'Whether the service is ready: the database answers and has the right schema, and an SQLite file has free disk space',
    access: anybody,
    availableBeforeReady: true,
    success: ok('Ready, with the current load', readiness),
    failures: ['NOT_READY'],
  }),
  showDemo: operation.get('/api/demo', {
    summary: 'Whether the demo programme is loaded or can be loaded, and how to log in',
    access: superAdmin,
    success: ok('The demo programme', { demo }),
  }),
  loadDemo: operation.post('/api/demo', {
    summary:
      'Add the demo programme to an empty database: 3 trainers, 12 courses with files, 200 trainees and their enrollments',
    description:
      'Does the same as the command `coursectl seed demo`. The demo accounts have a public password. The request is refused if `NODE_ENV` is `production`, if other accounts than the super admin exist, or if the super admin has the email or phone number of a demo account. If the demo programme was loaded before, nothing changes.',
    access: superAdmin,
    databaseDeadline: 'none',
    success: created('The demo programme is loaded', { message: shapes.message('Demo programme loaded.'), demo }),
    failures: ['SEED_REFUSED', 'DATABASE_NOT_EMPTY', 'STORAGE_UNAVAILABLE'],
  }),
  openapi: operation.get('/api/openapi.json', {
    summary: 'This description',
    access: anybody,
    success: ok('An OpenAPI 3.1 document', Joi.object({ openapi: shapes.text }).unknown()),
  }),
  docs: operation.get('/api/docs', {
    summary: 'This description as a page',
    access: anybody,
    success: streamed('The page', 'text/html'),
  }),
  metrics: operation.get('/metrics', {
    summary: 'Metrics for Prometheus; if METRICS_TOKEN is set, they require this token',
    access: anybody,
    availableBeforeReady: true,
    success: streamed('The metrics in the text format of Prometheus', 'text/plain'),
    failures: ['TOKEN_MISSING', 'TOKEN_INVALID', 'OVERLOADED'],
  }),
};
