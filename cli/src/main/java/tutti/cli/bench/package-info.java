/**
 * Results of {@code tutti bench} and of the same program in C, and how they compare. Independent of clusters.
 *
 * <pre>{@code
 * program Bench, collbench.c -> table (text) -> BenchTable -> BenchResult -> JSON, Plot
 *                               many tables  -> PeerComparison -> table of ratios, Plot
 * }</pre>
 */
@NullMarked
package tutti.cli.bench;

import org.jspecify.annotations.NullMarked;
