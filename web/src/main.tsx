import { render } from 'preact';
import { App } from './app';
import { applyTheme } from './theme';
import './style/base.css';
import './style/page.css';
import './style/charts.css';
import './style/decisions.css';
import 'uplot/dist/uPlot.min.css';

applyTheme();
render(<App />, document.getElementById('app')!);
