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

/** No response, or one that says that the service is busy or, from a proxy before it, away. */
const transientStatuses: readonly number[] = [0, 429, 502, 503, 504];

/** Whether asking again can help: the service was busy or out of reach. */
export const isTransient = (error: unknown): boolean =>
  error instanceof ApiError && transientStatuses.includes(error.status);

/** What is shown of a course or an import is out of date. */
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

/** Whether the service refused a change because what it was asked for, as shown here, is out of date. */
export const isOutdated = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 409 || outdatedCodes.some((code) => code === error.code));

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (count, error) => count < 2 && isTransient(error),
      // Lists stay as they were until the user looks again.
      refetchOnWindowFocus: true,
      networkMode: 'always',
      // Not the default with this mode.
      refetchOnReconnect: true,
    },
    // What can't be sent fails, rather than wait for a network and be done later. The service may be on this very machine, too.
    mutations: { networkMode: 'always' },
  },
});

interface QueryOptions<Data> {
  enabled?: boolean;
  /** Keeps showing the page before while the next one is on its way. */
  keepPrevious?: boolean;
  /** Asks again after so many milliseconds; false stops. */
  refetchInterval?: number | false;
  /** Asks again every second while this holds for the last answer, also when the service is away meanwhile. */
  refetchWhile?(data: Data): boolean;
}

/** The one way to read: the answer of an operation, shared by its input. */
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

/** Passwords come with their answers, or are shown after them, and only once: these answers don't wait for what is read again. */
const passwordOperations: readonly OperationId[] = ['createUser', 'resetPassword', 'changeManyUsers'];

/**
 * The one way to change: `mutate(input)` calls the operation, and is done when what is shown has been read again. So it is when
 * the change is refused because what is shown is out of date.
 * @param affected the operations whose answers are out of date afterwards; all of them when it isn't given
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

/** For work of several calls: marks everything that was read as out of date, and waits until what is shown is read again. */
export function useRefresh(): () => Promise<void> {
  const client = useQueryClient();
  return () => client.invalidateQueries();
}
