package tutti.daemon.job;

import java.util.List;
import org.jspecify.annotations.Nullable;
import tutti.runtime.module.ModuleId;

/** Source of the parameters of the modules that are installed on this node. */
public interface ParameterSource {

    /**
     * Returns the parameters that a module declares, with this node's values. A job may use a module that is offered no more; null for a module that
     * is not installed on this node.
     */
    @Nullable
    List<Parameter> of(ModuleId module);
}
