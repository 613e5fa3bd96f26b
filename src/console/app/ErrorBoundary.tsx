import { Component, type ReactNode } from 'react';
import { Button } from '../design/Button.tsx';
import { Page } from '../design/Page.tsx';
import { useTexts } from '../texts/language.tsx';
import { texts } from './texts.ts';

interface Props {
  children: ReactNode;
}

/** Keeps the failure of one screen from the others. */
export class ErrorBoundary extends Component<Props, { failure?: Error }> {
  override state: { failure?: Error } = {};

  static getDerivedStateFromError(failure: unknown): { failure: Error } {
    return { failure: failure instanceof Error ? failure : new Error(String(failure)) };
  }

  override render() {
    return this.state.failure ? <Crash failure={this.state.failure} /> : this.props.children;
  }
}

function Crash({ failure }: { failure: Error }) {
  const t = useTexts(texts);
  // After an update of the server the files of the old version are gone.
  const isOutdated = /dynamically imported module|importing a module/i.test(failure.message);
  return (
    <Page title={t.crashed} subtitle={isOutdated ? t.newVersion : t.crashedText}>
      {!isOutdated && <pre>{failure.message}</pre>}
      <div>
        <Button look="main" onClick={() => location.reload()}>
          {t.reload}
        </Button>
      </div>
    </Page>
  );
}
