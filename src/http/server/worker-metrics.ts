import {
  AggregatorRegistry,
  Counter,
  Gauge,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client';

/** The figures of one process, as data. */
export type Figures = MetricObjectWithValues<MetricValue<string>>[];

/** The figures of all workers of a service. They outlive the workers, so that counters never decrease. */
export interface WorkerMetrics {
  /** Replaces what is known of a worker, by the id of its process. */
  keep(id: number, figures: Figures): void;
  /** A worker has ended: what it counted stays, what it was doing goes. */
  end(id: number): void;
  /** A worker ended without having been told to. */
  countFailure(): void;
  /** Counters and histograms are sums, of former workers too; gauges are sums over those that run. */
  text(): Promise<string>;
}

/** @param ready how many workers serve now */
export function createWorkerMetrics(ready: () => number): WorkerMetrics {
  const own = new Registry();
  new Gauge({
    name: 'coursectl_workers',
    help: 'Worker processes that serve requests',
    registers: [own],
    collect() {
      this.set(ready());
    },
  });
  const failures = new Counter({
    name: 'coursectl_worker_failures_total',
    help: 'Worker processes that ended without having been told to',
    registers: [own],
  });
  const running = new Map<number, Figures>();
  let former: Promise<Figures> = Promise.resolve([]);
  return {
    keep: (id, figures) => void running.set(id, figures),
    end(id) {
      const counts = (running.get(id) ?? []).filter(({ type }) => isCount(type));
      running.delete(id);
      former = former.then((sum) => AggregatorRegistry.aggregate([sum, counts]).getMetricsAsJSON());
    },
    countFailure: () => failures.inc(),
    async text() {
      const all = AggregatorRegistry.aggregate([await former, ...running.values(), await own.getMetricsAsJSON()]);
      return all.metrics();
    },
  };
}

/** Whether figures of a type add up over time. They are words: the package declares numbers. */
const isCount = (type: unknown) => type === 'counter' || type === 'histogram';
