package tutti.daemon.job;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import tutti.daemon.monitor.JobMeasurements;

/** Questions of a node to another one about measurements of the jobs that it has coordinated. */
public interface MeasurementQuestions {

    /** Returns which measurements of a job the node keeps; null when it does not know the job. */
    CompletionStage<@Nullable JobMeasurements> measurements(String job);

    /** Returns the pieces of a measurement after a number of bytes; none at its end, null when it is not kept any more. */
    CompletionStage<byte @Nullable []> part(String job, String name, long offset);
}
