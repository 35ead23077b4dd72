/**
 * The module {@code dissem}: barrier, allgather and alltoall by dissemination, after Bruck, in the fewest rounds and with any radix.
 *
 * <pre>{@code
 *   DissemModule -- query(DissemParameters: k) --> AlgorithmTable: DisseminationBarrier, BruckAllgather, BruckAlltoall
 *   all three --> RadixStep: the distances over which messages are sent, k-1 per round
 *   BruckAllgather --> CyclicRange: the blocks of consecutive ranks
 * }</pre>
 */
@NullMarked
package tutti.coll.dissem;

import org.jspecify.annotations.NullMarked;
