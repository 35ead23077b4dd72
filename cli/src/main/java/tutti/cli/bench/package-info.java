/**
 * Results of {@code tutti bench}. Independent of clusters.
 *
 * <pre>{@code
 * program Bench -> table (text) -> BenchTable -> BenchResult -> JSON, report.Plot
 * }</pre>
 */
@NullMarked
package tutti.cli.bench;

import org.jspecify.annotations.NullMarked;
