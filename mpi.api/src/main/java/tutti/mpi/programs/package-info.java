/**
 * Programs that Tutti itself runs as jobs. Every rank defines the classes with {@code main}; the others are shared.
 *
 * <pre>{@code
 *  tutti explain         ---> Explain     ---> Comm.explain      ---> ExplanationText ---> JsonText
 *                                         ---> Comm.explainParts ---> ExplainedParts
 *  tutti explain --groups ---> Explain    ---> TwoGroups: an intercommunicator
 *  tutti explain --plan  ---> ExplainPlan ---> PlanGather        ---> PlanJson        ---> JsonText
 *  tutti tune            ---> Tune        ---> collectives of MPI.COMM_WORLD; with --groups of TwoGroups
 *  tutti bench           ---> Bench       ---> messages and collectives of MPI.COMM_WORLD
 *  an idle daemon        ---> WarmUp      ---> messages and collectives of many communicators
 * Results.begin: standard output is for what a command reads, and what modules print goes to standard error
 * }</pre>
 */
@NullMarked
package tutti.mpi.programs;

import org.jspecify.annotations.NullMarked;
