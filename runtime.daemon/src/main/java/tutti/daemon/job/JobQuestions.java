package tutti.daemon.job;

import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import tutti.daemon.monitor.JobActivity;
import tutti.daemon.monitor.JobTrial;
import tutti.daemon.monitor.LiveChange;
import tutti.daemon.node.JobRecord;
import tutti.daemon.protocol.Reply;
import tutti.runtime.introspect.CallTuning;
import tutti.runtime.module.CanaryTerms;
import tutti.runtime.module.ModuleId;

/** Questions of a node to another one about the jobs that it coordinates or has coordinated, and its room for more. */
public interface JobQuestions {

    /** Ends a job; returns whether the node coordinates it. */
    CompletionStage<Boolean> cancel(String job);

    /** Returns what the ranks of a job do; null when the node does not coordinate it. */
    CompletionStage<@Nullable JobActivity> ranks(String job);

    /** Returns the jobs. */
    CompletionStage<List<JobRecord>> history();

    /** Saves the state of a job at the next point of its program, and returns what became of it; null when the node does not coordinate the job. */
    CompletionStage<@Nullable Reply> checkpoint(String job);

    /**
     * Has jobs that the node coordinates take the modules of a name that their nodes offer now; returns what became of that.
     *
     * @param job id of the only job that is asked; empty for all
     */
    CompletionStage<List<LiveChange>> follow(String module, String job);

    /**
     * Begins the trial of a module in jobs that the node coordinates; returns what became of that.
     *
     * @param job id of the only job that is asked; empty for all
     */
    CompletionStage<List<LiveChange>> tryOut(CanaryTerms terms, String job);

    /** Returns what the trials of a module have found in the jobs that the node coordinates. */
    CompletionStage<List<JobTrial>> trials(ModuleId module);

    /** Keeps what a job has found out while it tuned live calls, for jobs that this node launches. */
    CompletionStage<Void> learn(List<CallTuning> found);

    /** Returns the number of cores of the node without a rank. */
    CompletionStage<Integer> freePlaces();
}
