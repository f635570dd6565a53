import { type ComponentType, type ReactNode, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Failed } from './states.js';

/** Dialogs stand at the end of their page. */
const scrollToElement = (element: HTMLElement | null) => element?.scrollIntoView({ block: 'nearest' });

/** Says that code could not be loaded, and offers to load the page again. @param unseen whether it may be out of sight */
export function NotLoaded({ unseen = false }: { unseen?: boolean }) {
  const { t } = useTranslation();
  return (
    <div ref={unseen ? scrollToElement : undefined}>
      <Failed error={new Error(t('state.notLoaded'))} onRetry={() => window.location.reload()} />
    </div>
  );
}

type Loaded<Props> = { component?: ComponentType<Props> | undefined; failed: boolean };

export interface LazyPart<Props> {
  (props: Props): ReactNode;
  /** Loads its code before it is shown; a failure is told when it is. */
  preload(): void;
}

/**
 * A part of a page whose code is loaded when it is first shown. Where that fails, it says so instead, and the page can be
 * loaded again: a newer version of the service has no longer the code of the one before.
 * @param placeholder shown meanwhile
 * @param Fallback shown below the failure: the same in plainer form
 */
export function lazyPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  placeholder: ReactNode = null,
  Fallback?: ComponentType<Props>,
): LazyPart<Props> {
  let loaded: ComponentType<Props> | undefined;
  let loading: Promise<ComponentType<Props>> | undefined;

  async function loadOnce(): Promise<ComponentType<Props>> {
    loading ??= load();
    try {
      loaded = await loading;
      return loaded;
    } finally {
      loading = undefined;
    }
  }

  function LazyPart(props: Props) {
    const [{ component: Component, failed }, setState] = useState<Loaded<Props>>({ component: loaded, failed: false });
    useEffect(() => {
      if (Component) return undefined;
      let shown = true;
      loadOnce().then(
        (component) => shown && setState({ component, failed: false }),
        (error: unknown) => {
          reportError(error);
          if (shown) setState({ failed: true });
        },
      );
      return () => {
        shown = false;
      };
    }, [Component]);
    if (failed)
      return (
        <>
          <NotLoaded unseen={!Fallback} />
          {Fallback && <Fallback {...props} />}
        </>
      );
    return Component ? <Component {...props} /> : placeholder;
  }
  // What fails is loaded, and told, again by the part itself.
  return Object.assign(LazyPart, { preload: () => void loadOnce().catch(() => undefined) });
}

/**
 * A dialog whose code is loaded when it is first opened.
 * @param key the property by which it is opened: it is closed while that is false or undefined
 */
export function lazyDialog<Props extends object, Key extends keyof Props>(
  load: () => Promise<ComponentType<Props>>,
  key: Key,
) {
  const Part = lazyPart<Props>(async () => {
    const Dialog = await load();
    // It is drawn closed at first: it gives the focus back only where it saw itself being opened.
    return function OpenedDialog(props: Props) {
      const [mounted, setMounted] = useState(false);
      useEffect(() => setMounted(true), []);
      return <Dialog {...props} {...(!mounted && { [key]: typeof props[key] === 'boolean' ? false : undefined })} />;
    };
  });
  return function LazyDialog(props: Props) {
    const opened = props[key] !== undefined && props[key] !== false;
    const [wanted, setWanted] = useState(opened);
    if (opened && !wanted) setWanted(true);
    return wanted && <Part {...props} />;
  };
}
