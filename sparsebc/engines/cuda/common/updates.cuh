// The element-wise updates of Brandes' two phases, each written once: inlined by the fused products,
// and wrapped as ElementwiseKernels for the reference engine.
#pragma once

// sigma<fresh> = paths
template <class Real>
__device__ __forceinline__ void sigma_update(bool fresh, Real paths, Real &sigma) {
    if (fresh) sigma = paths;
}

// delta<here> = sigma .* sum_g;  g<here> = (omega + delta) ./ sigma, in sigma's place
template <class Real, class Share>
__device__ __forceinline__ void delta_update(bool here, Real sum_g, Share omega, Real &sigma,
                                             Share &delta) {
    delta = here ? sigma * sum_g : Share(0);
    if (here) sigma = (omega + delta) / sigma;
}

// passing<here> = sigma .* sum_h;  h<here> = omega + sum_h, in a place that may be sigma's
template <class Real, class Share>
__device__ __forceinline__ void stress_update(bool here, Real sum_h, Share omega, const Real &sigma,
                                              Real &h, Share &passing) {
    passing = here ? sigma * sum_h : Share(0);
    if (here) h = omega + sum_h;
}
