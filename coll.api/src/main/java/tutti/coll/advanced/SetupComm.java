package tutti.coll.advanced;

import java.util.function.LongBinaryOperator;
import org.jspecify.annotations.Nullable;
import org.osgi.annotation.versioning.ProviderType;
import tutti.coll.Algorithm;
import tutti.coll.Call;
import tutti.coll.CollComm;
import tutti.coll.CollInstance;
import tutti.coll.CollModule;
import tutti.coll.Operation;

/**
 * A communicator on which a module sets itself up: the communication that it may do while the communicator is created, and the sub-communicators that
 * it may make. Every communicator that {@link CollModule#query} receives is one: {@link #of}.
 *
 * <p>All methods but {@link #local} may only be called by the thread that runs {@link CollModule#query} or {@link CollInstance#init}, until that
 * method returns; afterwards they throw {@link IllegalStateException}. The messages are private to the module on this communicator and match no
 * others. All of them must have been received when the method has returned on every rank; otherwise the module is excluded from the communicator.
 *
 * <p>A module that fails on one rank fails on the others in their next collective method: barrier, allreduce or split, and when they wait for a
 * message of that rank.
 */
@ProviderType
public interface SetupComm extends CollComm {

    /**
     * Returns a communicator of the runtime as what it is.
     *
     * @throws IllegalArgumentException if it is no communicator of the runtime or the contract tests
     */
    static SetupComm of(final CollComm comm) {
        if (comm instanceof final SetupComm setup) {
            return setup;
        }
        throw new IllegalArgumentException("not a communicator of the runtime: type=" + comm.getClass().getName());
    }

    /**
     * Sends bytes to a peer. Returns at once: the data is copied, and the peer may receive it later.
     *
     * @param data the message
     * @param peer the receiver; on an intercommunicator a rank of the remote group
     * @throws IllegalArgumentException if the peer is out of range
     * @throws IllegalStateException    if called outside query and init
     */
    void send(byte[] data, int peer);

    /**
     * Receives a message of exactly {@code into.length} bytes from a peer. Messages of one peer are received in the order in which they were
     * sent. Blocks until the message arrives, or the module has failed at the peer.
     *
     * @param into where to put the message
     * @param peer the sender; on an intercommunicator a rank of the remote group
     * @throws IllegalArgumentException if the peer is out of range
     * @throws IllegalStateException    if the module has failed at the peer, if the message has another length, or if called outside query and init
     */
    void recv(byte[] into, int peer);

    /**
     * Waits until all ranks call it, those of both groups on an intercommunicator. Collective: all ranks must call it, in the same order.
     *
     * @throws IllegalStateException if another rank failed before it called barrier, or if called outside query and init
     */
    void barrier();

    /**
     * Combines values of all ranks, those of both groups on an intercommunicator, element by element and in place. Collective: all ranks must call
     * it, in the same order and with arrays of the same length.
     *
     * @param values   this rank's values, replaced by the results, which are equal on all ranks
     * @param operator an associative and commutative operator, the same on all ranks
     * @throws IllegalStateException if another rank failed before it called allreduce or has an array of another length, or if called outside query
     *                               and init
     */
    void allreduce(long[] values, LongBinaryOperator operator);

    /**
     * Splits this intracommunicator into hidden communicators, one for each colour. Their ranks are ordered by key, then by rank here.
     * Collective: all ranks must call it, in the same order, with the same name and the same modules. Modules are selected for a hidden communicator
     * as for any other, and may split it further; those that are named here come before others, though not before the choice of the user. Plans use
     * its collectives with {@link AdvancedPlan#nested}. It is freed together with this communicator.
     *
     * <p>Explanations, traces and errors name a hidden communicator after this one, the module and the split, and after the colour where there are
     * several: {@code MPI_COMM_WORLD/smp.leaders}, {@code MPI_COMM_WORLD/smp.node.1}. The name is unique, and equal on its ranks.
     *
     * @param name    tells users what the hidden communicators are for, {@code leaders} for example: 1 to 32 letters, digits, hyphens and
     *                underscores; the module has used it for no other split of this communicator
     * @param color   0 or more; negative for a rank that belongs to none of them
     * @param key     order within the colour
     * @param modules names of modules that should serve the hidden communicators where they can, the first one first; none for the usual order
     * @return the communicator of this rank's colour, or null if the colour is negative
     * @throws IllegalArgumentException if the name is not permitted or was used
     * @throws IllegalStateException    if another rank failed before it called split, or gave another name or other modules, on an intercommunicator,
     *                                  or if called outside query and init
     */
    @Nullable
    CollSubComm split(String name, int color, int key, String... modules);

    /**
     * Returns an algorithm of another module on this communicator, to plan calls with it: {@code algorithm(Operation.BCAST, "tree/kary").plan(call,
     * plan)}. That module is initialized too, if it is not already. If that fails, or if the module does not offer the algorithm afterwards, the
     * calling module is excluded from the communicator. Callable in {@link CollInstance#init} only. Modules must not use each other in a circle.
     *
     * @param operation the operation
     * @param name      {@code MODULE/ALGORITHM}; or {@code MODULE} for the first of its algorithms, in the module's order, that can serve a call
     * @return an algorithm to be used in plans of this communicator and of the duplicates that the instance serves
     * @throws IllegalStateException if the module cannot be used on this communicator or does not offer the algorithm on all ranks, or if called
     *                               outside init
     */
    <C extends Call> Algorithm<C> algorithm(Operation<C> operation, String name);

    /**
     * Returns the local group of this intercommunicator as a hidden intracommunicator, for {@link AdvancedPlan#nested}. It is created and freed
     * together with the intercommunicator, and named after it: {@code NAME/local}. Modules are selected for it as for any other communicator. May be
     * called at any time.
     *
     * @throws IllegalStateException on an intracommunicator
     */
    CollSubComm local();
}
