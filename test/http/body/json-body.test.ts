import { expect } from 'chai';
import express from 'express';
import request from 'supertest';
import { createJsonReader } from '../../../src/http/body/json-body.js';

describe('createJsonReader()', () => {
  it('empties values that are nested deeper than in any schema', async () => {
    const read = createJsonReader({ maxBytes: 1000, arrivalMs: 1000 });
    const app = express().post('/', async (incoming, response) => void response.json(await read(incoming, response)));
    const sent = { a: [{ b: 'kept', c: { d: 'lost' }, e: ['lost'] }] };
    const { body } = await request(app).post('/').send(sent);
    expect(body).to.deep.equal({ a: [{ b: 'kept', c: {}, e: [] }] });
  });
});
