/**
 * The module {@code basic}: linear and logarithmic algorithms for every operation and any number of ranks.
 *
 * <pre>{@code
 *   BasicModule -- query --> AlgorithmTable: intracommunicators (Binomial*, Linear*, Recursive*, ...),
 *                                            intercommunicators (Leaders*, Pairs*, Slices*, Direct*)
 *   Binomial, BinomialReduceTree, and in tutti.coll.patterns RecursiveExchange, CyclicRanks, CyclicRange: index computations
 *   RunningReduction --> DataTasks --> Plan: derive each task's dependencies from the memory that it accesses
 *   BlockReduction, NeighborExchange, LeaderExchange, GroupPairs, GroupSlices --> Plan: parts that several algorithms share
 * }</pre>
 */
@NullMarked
package tutti.coll.basic;

import org.jspecify.annotations.NullMarked;
