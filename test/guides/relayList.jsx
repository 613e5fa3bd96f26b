// Shows the list of the guide, and presses its button until there is none.
import { act, Suspense } from 'react';
import { RelayEnvironmentProvider } from 'react-relay';
import { create } from 'react-test-renderer';
import { CustomerPage } from './CustomerList';
import { environment } from './environment';

globalThis.IS_REACT_ACT_ENVIRONMENT = true;

async function pageToTheEnd() {
  let shown;
  await act(async () => {
    shown = create(
      <RelayEnvironmentProvider environment={environment}>
        <Suspense fallback="loading">
          <CustomerPage />
        </Suspense>
      </RelayEnvironmentProvider>,
    );
  });
  const patiently = async (isReady) => {
    while (!isReady()) await act(() => new Promise((resolve) => setTimeout(resolve, 5)));
  };
  const names = () => shown.root.findAllByType('li').map(({ children }) => children[0]);
  const buttons = () => shown.root.findAllByType('button');
  await patiently(() => names().length > 0);
  let pages = 1;
  while (buttons().length > 0) {
    await act(async () => buttons()[0].props.onClick());
    await patiently(() => buttons().every(({ props }) => !props.disabled));
    pages += 1;
  }
  console.log(JSON.stringify({ pages, names: names() }));
}

void pageToTheEnd();
