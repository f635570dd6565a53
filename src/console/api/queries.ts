import {
  keepPreviousData,
  QueryClient,
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import type { ErrorCode } from '../../../examples/api-types.js';
import { ApiError, call, type Input, type OperationId, type ResponseBody } from './client.js';

/** Statuses of temporary failures: no response (0), busy, or down (from a proxy). */
const transientStatuses: readonly number[] = [0, 429, 502, 503, 504];

/** Whether a retry can help: the service was busy or unreachable. */
export const isTransient = (error: unknown): boolean =>
  error instanceof ApiError && transientStatuses.includes(error.status);

/** Codes that mean that the shown course or import is out of date. */
const outdatedCodes: readonly ErrorCode[] = [
  'ALREADY_ENROLLED',
  'COURSE_NOT_PUBLISHED',
  'COURSE_ENDED',
  'ENROLLMENT_CLOSED',
  'COURSE_FULL',
  'WAITING_LIST_FULL',
  'IMPORT_CONFLICT',
  'IMPORT_BUSY',
  'IMPORT_HAS_ROWS',
  'IMPORT_ROWS_DELETED',
  'PLAN_EXPIRED',
];

/** Whether the service refused a change because the shown data is out of date. */
export const isOutdated = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 409 || outdatedCodes.some((code) => code === error.code));

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (count, error) => count < 2 && isTransient(error),
      // Shown data is fetched again when the user returns to the window.
      refetchOnWindowFocus: true,
      networkMode: 'always',
      // Set here, because this network mode turns it off.
      refetchOnReconnect: true,
    },
    // Without a network, changes fail now instead of being sent later. The service may also run on this machine.
    mutations: { networkMode: 'always' },
  },
});

interface QueryOptions<Data> {
  enabled?: boolean;
  /** Keeps showing the previous page while the next page loads. */
  keepPrevious?: boolean;
  /** Milliseconds between fetches; false for a single fetch. */
  refetchInterval?: number | false;
  /** Fetches again every second while this is true for the last response, even if the service is down for a time. */
  refetchWhile?(data: Data): boolean;
}

/** Reads the response of an operation; components with the same input share it. All components read with this hook. */
export function useApi<Id extends OperationId>(
  id: Id,
  input: Input<Id>,
  { enabled = true, keepPrevious = false, refetchInterval = false, refetchWhile }: QueryOptions<ResponseBody<Id>> = {},
): UseQueryResult<ResponseBody<Id>, ApiError> {
  return useQuery<ResponseBody<Id>, ApiError>({
    queryKey: [id, input],
    queryFn: ({ signal }) => call(id, input, signal),
    enabled,
    refetchInterval: refetchWhile
      ? ({ state: { data } }) => (data !== undefined && refetchWhile(data) ? 1000 : false)
      : refetchInterval,
    ...(keepPrevious && { placeholderData: keepPreviousData }),
  });
}

/** Operations with a password that is shown once. It is shown before other data is fetched again. */
const passwordOperations: readonly OperationId[] = ['createUser', 'resetPassword', 'changeManyUsers'];

/**
 * Changes data: `mutate(input)` calls the operation, and ends when the shown data has been fetched again. The data is also
 * fetched again if the change is refused because the shown data is out of date. All components change data with this hook.
 * @param affected operations whose responses are out of date afterwards; by default all
 */
export function useChange<Id extends OperationId>(
  id: Id,
  affected?: readonly OperationId[],
): UseMutationResult<ResponseBody<Id>, ApiError, Input<Id>> {
  const client = useQueryClient();
  const refresh = () =>
    client.invalidateQueries(
      affected ? { predicate: ({ queryKey }) => affected.includes(queryKey[0] as OperationId) } : {},
    );
  return useMutation<ResponseBody<Id>, ApiError, Input<Id>>({
    mutationFn: (input) => call(id, input),
    onSuccess: () => {
      const refreshed = refresh();
      return passwordOperations.includes(id) ? undefined : refreshed;
    },
    onError: (error) => (isOutdated(error) ? refresh() : undefined),
  });
}

/** For work of several calls. The function marks all data as out of date, and waits until shown data is fetched again. */
export function useRefresh(): () => Promise<void> {
  const client = useQueryClient();
  return () => client.invalidateQueries();
}
