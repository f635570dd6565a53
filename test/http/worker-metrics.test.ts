import { expect } from 'chai';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { createWorkerMetrics } from '../../src/http/server/worker-metrics.js';

describe('The figures of several workers', () => {
  /** What a worker has counted. */
  async function figuresOf(requests: number, connections: number, times: readonly number[]) {
    const registry = new Registry();
    const registers = [registry];
    new Counter({ name: 'requests_total', help: '-', labelNames: ['path'], registers }).inc({ path: '/a' }, requests);
    new Gauge({ name: 'connections', help: '-', registers }).set(connections);
    const histogram = new Histogram({ name: 'seconds', help: '-', buckets: [1, 2], registers });
    for (const time of times) histogram.observe(time);
    // As they come from another process.
    return JSON.parse(JSON.stringify(await registry.getMetricsAsJSON())) as Awaited<
      ReturnType<typeof registry.getMetricsAsJSON>
    >;
  }

  async function valuesOf(metrics: { text(): Promise<string> }): Promise<Record<string, number>> {
    const lines = (await metrics.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    return Object.fromEntries(
      lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
    );
  }

  it('are added up: counters, histograms and gauges', async () => {
    const metrics = createWorkerMetrics(() => 2);
    metrics.keep(1, await figuresOf(3, 10, [0.5]));
    metrics.keep(2, await figuresOf(4, 20, [1.5, 9]));
    const values = await valuesOf(metrics);
    expect(values['requests_total{path="/a"}']).to.equal(7);
    expect(values.connections).to.equal(30);
    expect(values['seconds_bucket{le="1"}']).to.equal(1);
    expect(values['seconds_bucket{le="2"}']).to.equal(2);
    expect(values['seconds_bucket{le="+Inf"}']).to.equal(3);
    expect(values.seconds_sum).to.equal(11);
    expect(values.coursectl_workers).to.equal(2);
  });

  it('keep what workers counted that have ended, so that nothing decreases, but not what they were doing', async () => {
    const metrics = createWorkerMetrics(() => 1);
    metrics.keep(1, await figuresOf(3, 10, [0.5]));
    metrics.keep(2, await figuresOf(4, 20, [1.5]));
    metrics.keep(3, await figuresOf(5, 40, []));
    // At the same time.
    metrics.end(1);
    metrics.end(2);
    expect((await valuesOf(metrics))['requests_total{path="/a"}']).to.equal(12);
    expect((await valuesOf(metrics)).connections).to.equal(40);
    metrics.end(3);
    const values = await valuesOf(metrics);
    expect(values['requests_total{path="/a"}']).to.equal(12);
    expect(values.seconds_count).to.equal(2);
    expect(values.connections).to.equal(undefined);
  });

  it('of one that has sent none count nothing', async () => {
    const metrics = createWorkerMetrics(() => 0);
    metrics.end(7);
    metrics.countFailure();
    expect(await valuesOf(metrics)).to.deep.equal({ coursectl_workers: 0, coursectl_worker_failures_total: 1 });
  });
});
